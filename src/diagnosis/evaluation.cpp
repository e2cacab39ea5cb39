#include "diagnosis/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "diagnosis/label_errors.h"
#include "diagnosis/pre_processing.h"

namespace visq::diagnosis {
namespace {

/// A float model that is right so often needs no excuse: by labels, and by a program, which takes longer.
constexpr double kGood = 0.9, kFair = 0.5;
/// What a change must win to be told, and in units of 1/sqrt(records), so that it is no chance.
constexpr double kLeastGain = 0.1, kClearGain = 1.5;
/// An accuracy within so many standard errors of chance is no better.
constexpr double kErrors = 3;
/// Records that changes are tried on, and how many changes on top of one another.
constexpr std::int64_t kTried = 64;
constexpr std::size_t kMostSteps = 2;

using Steps = std::vector<const PreProcessing*>;
using Scored = std::optional<Accuracy>;

class Evaluation {
 public:
  Evaluation(const Subject& subject, const DiagnoseOptions& options, Mode mode) : subject_(subject), options_(options), mode_(mode) {}

  Result<Scored> as_it_is() const { return score(*scoring().data, scoring().records, scoring().labels); }

  /// The accuracy on data that are changed by these steps: of all records, or of those that are tried.
  Result<Scored> changed(const Steps& steps, const std::vector<std::int64_t>& records) const {
    VISQ_ASSIGN(const auto data, changed_records(*scoring().data, subject_.reference(), subject_.quantized(), steps, records));
    std::vector<std::int64_t> labels;
    for (const std::int64_t record : records) {
      if (!scoring().labels.empty()) labels.push_back(scoring().labels[as_size(record)]);
    }
    return score(*data, {0, data->count()}, std::move(labels));
  }

  std::vector<std::int64_t> all_records() const { return spread(scoring().records.last - scoring().records.first); }
  /// A program judges all records or none, since it knows how many there are; so do models whose records build on each other.
  std::vector<std::int64_t> tried_records() const {
    const bool in_order = keeps_state(subject_.reference()) || keeps_state(subject_.quantized());
    return scoring().program || in_order ? all_records() : spread(kTried);
  }

  /// Labels of all records, as classes.
  std::vector<std::int64_t> labels() const {
    std::vector<std::int64_t> labels;
    for (const std::int64_t record : all_records()) labels.push_back(scoring().labels[as_size(record)] + scoring().label_offset);
    return labels;
  }

 private:
  const Scoring& scoring() const { return options_.scoring; }

  std::vector<std::int64_t> spread(std::int64_t most) const {
    const auto [first, last] = scoring().records;
    const std::int64_t count = std::min(most, last - first);
    std::vector<std::int64_t> records;
    for (std::int64_t i = 0; i < count; ++i) records.push_back(first + i * (last - first) / count);
    return records;
  }

  Result<Scored> score(RecordSource& data, RecordRange records, std::vector<std::int64_t> labels) const {
    if (scoring().program) return scoring().program(data, records);
    AccuracyOptions request;
    static_cast<RunRequest&>(request) = options_;
    request.progress = {};
    request.records = records;
    request.quantized_mode = mode_;
    request.labels = std::move(labels);
    request.label_offset = scoring().label_offset;
    request.output_node = scoring().output_node;
    request.any_label = true;
    VISQ_ASSIGN(Accuracy measured, accuracy(subject_.reference_model(), subject_.quantized_model(), data, request));
    return Scored(std::move(measured));
  }

  const Subject& subject_;
  const DiagnoseOptions& options_;
  Mode mode_;
};

/// Shares as percent; numbers of a program as they are.
std::string shown(const Accuracy& measured, double value) {
  return measured.program.empty() ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.4g}", value);
}

double needed_gain(const Accuracy& before, std::int64_t records) {
  const double scale = std::fabs(before.reference.top1) > 1 ? 100 : 1;  // a program's points
  return scale * std::max(kLeastGain, before.program.empty() ? kClearGain / std::sqrt(static_cast<double>(records)) : 0);
}

std::string words_of(const Steps& steps) {
  std::string words;
  for (const PreProcessing* step : steps) words += (words.empty() ? "" : ", then ") + step->words;
  return words;
}

/// The steps that win most on the records that are tried, each only where it wins enough on top of those before it.
Result<Steps> find_steps(const Evaluation& evaluation) {
  Steps steps;
  const auto records = evaluation.tried_records();
  VISQ_ASSIGN(Scored before, evaluation.changed({}, records));
  while (before && steps.size() < kMostSteps) {
    const PreProcessing* best = nullptr;
    Scored most = before;
    for (const PreProcessing& change : usual_changes()) {
      Steps more = steps;
      more.push_back(&change);
      VISQ_ASSIGN(const Scored after, evaluation.changed(more, records));
      if (!after) return Steps();
      if (after->reference.top1 > most->reference.top1) best = &change, most = after;
    }
    const auto count = static_cast<std::int64_t>(records.size());
    if (best == nullptr || most->reference.top1 < before->reference.top1 + needed_gain(*before, count)) break;
    steps.push_back(best);
    before = most;
  }
  return steps;
}

/// True where both models are no better than one that always says the most frequent class.
bool near_chance(const Accuracy& measured, double chance) {
  const double error = std::sqrt(chance * (1 - chance) / static_cast<double>(std::max<std::int64_t>(1, measured.records)));
  return std::max(measured.reference.top1, measured.quantized.top1) <= chance + kErrors * error;
}

/// "both models are near chance (…): the data or the labels are wrong. " or nothing.
std::string chance_words(const Accuracy& measured, double chance) {
  if (!measured.program.empty() || !near_chance(measured, chance)) return "";
  return fmt::format(
      "both models are near chance (float {}, quantized {}, the most frequent class {} of {} records): the data or the "
      "labels are wrong. ",
      shown(measured, measured.reference.top1), shown(measured, measured.quantized.top1), shown(measured, chance), measured.records);
}

GlobalRemark wrong_data(const Accuracy& before, const Accuracy& after, const Steps& steps, const std::string& beginning) {
  return {"wrong data",
          fmt::format("{}with the data {}, the float model has {} instead of {} (the quantized one {} instead of {}): the data of this "
                      "evaluation were not pre-processed as those of training were. Correct their pre-processing; the models are not at "
                      "fault",
                      beginning, words_of(steps), shown(before, after.reference.top1), shown(before, before.reference.top1),
                      shown(before, after.quantized.top1), shown(before, before.quantized.top1))};
}

GlobalRemark wrong_labels(const Accuracy& before, const LabelReading& reading, const std::string& beginning) {
  return {"wrong labels",
          fmt::format("{}where {}, the float model is right in {} of the records instead of {}: correct the labels; the models are not at "
                      "fault",
                      beginning, reading.words, shown(before, reading.right), shown(before, before.reference.top1))};
}

GlobalRemark both_wrong(const Accuracy& measured, const std::string& beginning, std::size_t outside) {
  const std::string none = outside == 0 ? "" : fmt::format("{} labels name none of the {} classes. ", outside, measured.classes);
  return {"both models wrong",
          fmt::format("{}{}None of the usual errors that were tried (scale, mean and deviation, channel order, memory layout, labels that "
                      "count from 1, classes in another order) makes the float model good: look at a few records with their labels, and "
                      "whether the float model is the one that was trained",
                      beginning, none)};
}

/// The reading of labels that wins most; one that is fitted to the answers only where no other does about as well.
const LabelReading* best_reading(const std::vector<LabelReading>& readings, double needed) {
  const LabelReading* best = nullptr;
  for (const LabelReading& reading : readings) {
    if (reading.right >= needed && (best == nullptr || reading.right > best->right + (reading.guessed ? kLeastGain : 0))) best = &reading;
  }
  return best;
}

Status explain_poor(const Evaluation& evaluation, const Accuracy& before, DiagnoseResult& result) {
  const bool labelled = before.program.empty();
  const std::vector<std::int64_t> labels = labelled ? evaluation.labels() : std::vector<std::int64_t>{};
  const std::string beginning = chance_words(before, chance_of(labels));
  const double needed = before.reference.top1 + needed_gain(before, before.records);
  const auto readings = label_readings(before.best, labels, before.classes);
  const LabelReading* const reading = best_reading(readings, needed);
  VISQ_ASSIGN(const Steps steps, find_steps(evaluation));
  Scored after;
  if (!steps.empty()) {
    VISQ_ASSIGN(after, evaluation.changed(steps, evaluation.all_records()));
  }
  const bool data_win = after && after->reference.top1 >= needed;
  if (reading != nullptr && (!data_win || reading->right > after->reference.top1 + (reading->guessed ? kLeastGain : 0))) {
    result.remarks.push_back(wrong_labels(before, *reading, beginning));
  } else if (data_win) {
    result.remarks.push_back(wrong_data(before, *after, steps, beginning));
  } else if (labelled) {
    const auto outside =
        as_size(std::count_if(labels.begin(), labels.end(), [&](auto each) { return each < 0 || each >= before.classes; }));
    if (!beginning.empty() || outside > 0) result.remarks.push_back(both_wrong(before, beginning, outside));
  }
  return {};
}

}  // namespace

Status add_evaluation(const Subject& subject, const DiagnoseOptions& options, DiagnoseResult& result) {
  if (options.scoring.data == nullptr) return {};
  const Evaluation evaluation(subject, options, result.quantized_mode);
  VISQ_ASSIGN(result.accuracy, evaluation.as_it_is());
  if (!result.accuracy) return {};
  const double value = result.accuracy->reference.top1;
  const double limit = result.accuracy->program.empty() ? kGood : (std::fabs(value) > 1 ? 100 : 1) * kFair;
  return value < limit ? explain_poor(evaluation, *result.accuracy, result) : Status();
}

}  // namespace visq::diagnosis
