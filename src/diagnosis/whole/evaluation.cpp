#include "diagnosis/whole/evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "diagnosis/whole/label_errors.h"
#include "diagnosis/whole/pre_processing.h"

namespace visq::diagnosis {
namespace {

/// A float model that does so well needs no excuse: by classes, and where each look takes longer, by a program's number, boxes and masks.
constexpr double kGood = 0.9, kFair = 0.5, kFairMap = 0.1, kFairMiou = 0.3;
/// What a change must win to be told, and in units of 1/sqrt(records), so that it is no chance.
constexpr double kLeastGain = 0.1, kClearGain = 1.5;
/// An accuracy within so many standard errors of chance is no better.
constexpr double kErrors = 3;
/// How far above chance a float model must get so that a change has made it good; classes that are put in order by the model's own answers
/// must explain so many of them.
constexpr double kAboveChance = 0.2, kExplained = 0.6;
/// Records that changes are tried on, and how many changes on top of one another.
constexpr std::int64_t kTried = 64;
constexpr std::size_t kMostTransformations = 2;

using Steps = std::vector<const PreProcessing*>;
using Scored = std::optional<Accuracy>;

/// The output that holds the classes where the user names none, by its name in the float model; empty: the first one. Where only the float
/// model ends with a softmax, its first output has no counterpart: then what the quantized model ends with, which has the same order.
std::string usual_output(const Subject& subject) {
  const auto &f = subject.reference().main().outputs, &q = subject.quantized().main().outputs;
  if (f.empty() || q.empty()) return "";
  const auto maps = subject.q().feature_maps();
  if (std::any_of(maps.begin(), maps.end(), [&](int map) { return subject.reference_of(map) == f[0]; })) return "";
  const int partner = subject.reference_of(q[0]);
  const bool same = partner >= 0 && subject.r().tensor(partner).shape.elements() == subject.r().tensor(f[0]).shape.elements();
  return same ? subject.reference_names().name(partner) : "";
}

class Evaluation {
 public:
  Evaluation(const Subject& subject, const DiagnoseOptions& options, Mode mode)
      : subject_(subject), options_(options), mode_(mode), output_(options.scoring.output_node) {
    if (output_.empty()) output_ = usual_output(subject);
  }

  Result<Scored> as_it_is() const {
    return score(subject_.quantized_model(), *scoring().data, scoring().records, scoring().labels, scoring().records.first);
  }
  /// From now on: the output that was judged, by its name in the float model.
  void keep_to(const std::string& output) { output_ = output; }
  /// Of the float model alone (of both, where classes are not the measure): after these steps, on the records that are tried.
  Result<Scored> tried(const Steps& steps) const { return changed(subject_.reference_model(), steps, tried_records()); }
  /// Of both models, on all records.
  Result<Scored> confirmed(const Steps& steps) const { return changed(subject_.quantized_model(), steps, all_records()); }

  std::vector<std::int64_t> all_records() const { return spread(scoring().records.last - scoring().records.first); }
  /// A program judges all records or none, since it knows how many there are, and so do boxes and masks; all are run of models whose
  /// records build on each other.
  std::vector<std::int64_t> tried_records() const {
    const bool in_order = keeps_state(subject_.reference()) || keeps_state(subject_.quantized());
    return scoring().program || in_order ? all_records() : spread(kTried);
  }

  std::vector<const PreProcessing*> changes() const { return usual_changes(subject_.reference()); }
  std::int64_t offset() const { return scoring().label_offset; }
  /// Labels of all records, as classes.
  std::vector<std::int64_t> labels() const {
    std::vector<std::int64_t> labels;
    for (const std::int64_t record : all_records()) labels.push_back(scoring().labels[as_size(record)] + scoring().label_offset);
    return labels;
  }

 private:
  Result<Scored> changed(const std::shared_ptr<const Model>& twin, const Steps& steps, const std::vector<std::int64_t>& records) const {
    VISQ_ASSIGN(const auto data, changed_records(*scoring().data, subject_.reference(), subject_.quantized(), steps, records));
    std::vector<std::int64_t> labels;
    for (const std::int64_t record : records) {
      if (!scoring().labels.empty()) labels.push_back(scoring().labels[as_size(record)]);
    }
    return score(twin, *data, {0, data->count()}, std::move(labels), scoring().records.first);
  }

  const Scoring& scoring() const { return options_.scoring; }

  std::vector<std::int64_t> spread(std::int64_t most) const {
    const auto [first, last] = scoring().records;
    const std::int64_t count = std::min(most, last - first);
    std::vector<std::int64_t> records;
    for (std::int64_t i = 0; i < count; ++i) records.push_back(first + i * (last - first) / count);
    return records;
  }

  Result<Scored> score(const std::shared_ptr<const Model>& twin, RecordSource& data, RecordRange records, std::vector<std::int64_t> labels,
                       std::int64_t first) const {
    if (scoring().program) return scoring().program(data, records, first);
    AccuracyOptions request;
    static_cast<RunRequest&>(request) = options_;
    request.progress = {};
    request.records = records;
    const bool alone = twin == subject_.reference_model();
    request.quantized_mode = alone ? Mode::kFp32 : mode_;
    if (alone) request.pairs.clear();
    request.labels = std::move(labels);
    request.label_offset = scoring().label_offset;
    request.output_node = output_;
    request.any_label = true;
    request.sequence.length = options_.sequence_length;
    VISQ_ASSIGN(Accuracy measured, accuracy(subject_.reference_model(), twin, data, request));
    return Scored(std::move(measured));
  }

  const Subject& subject_;
  const DiagnoseOptions& options_;
  Mode mode_;
  std::string output_;
};

double needs_no_excuse(const Accuracy& measured) {
  if (!measured.program.empty()) return (std::fabs(measured.reference.main) > 1 ? 100 : 1) * kFair;
  return measured.by_class() ? kGood : measured.score == Score::kMap ? kFairMap : kFairMiou;
}

/// Shares as percent; numbers of a program as they are.
std::string shown(const Accuracy& measured, double value) {
  return measured.program.empty() ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.4g}", value);
}

double needed_gain(const Accuracy& before, std::int64_t records) {
  const double scale = std::fabs(before.reference.main) > 1 ? 100 : 1;  // a program's points
  return scale * std::max(kLeastGain, before.by_class() ? kClearGain / std::sqrt(static_cast<double>(records)) : 0);
}

std::string words_of(const Steps& steps) {
  std::string words;
  for (const PreProcessing* step : steps) words += (words.empty() ? "" : ", then ") + step->words;
  return words;
}

/// What may have to be done before any other step shows: it changes places, not values.
std::vector<Steps> beginnings(const Evaluation& evaluation) {
  std::vector<Steps> all{{}};
  for (const PreProcessing* change : evaluation.changes()) {
    if (change->moves) all.push_back({change});
  }
  return all;
}

/// The best of all single steps on top of these.
struct Best {
  Steps steps;
  Scored score;
};
Result<Best> best_step(const Evaluation& evaluation, const Steps& beginning) {
  Best best;
  for (const PreProcessing* change : evaluation.changes()) {
    Steps steps = beginning;
    steps.push_back(change);
    VISQ_ASSIGN(Scored after, evaluation.tried(steps));
    if (after && (!best.score || after->reference.main > best.score->reference.main)) best = {std::move(steps), std::move(after)};
  }
  return best;
}

/// The steps that win most on the records that are tried, each only where it wins enough on top of those before it. Where none does, on
/// top of those that move values; a program is not asked so often.
Result<Steps> find_steps(const Evaluation& evaluation) {
  VISQ_ASSIGN(const Scored before, evaluation.tried({}));
  if (!before) return Steps();
  for (const Steps& beginning : beginnings(evaluation)) {
    Best found{beginning, before};
    while (found.steps.size() < kMostTransformations) {
      VISQ_ASSIGN(Best best, best_step(evaluation, found.steps));
      if (!best.score || best.score->reference.main < found.score->reference.main + needed_gain(*before, before->records)) break;
      found = std::move(best);
    }
    if (found.steps.size() > beginning.size()) return found.steps;
    if (!before->by_class()) break;
  }
  return Steps();
}

/// True where both models are no better than one that always says the most frequent class.
bool near_chance(const Accuracy& measured, double chance) {
  const double error = std::sqrt(chance * (1 - chance) / static_cast<double>(std::max<std::int64_t>(1, measured.records)));
  return std::max(measured.reference.main, measured.quantized.main) <= chance + kErrors * error;
}

/// "both models are near chance (…): the data or the labels are wrong. " or nothing.
std::string chance_words(const Accuracy& measured, double chance) {
  if (!measured.by_class() || !near_chance(measured, chance)) return "";
  return fmt::format(
      "both models are near chance (float {}, quantized {}, the most frequent class {} of {} records): the data or the "
      "labels are wrong: ",
      shown(measured, measured.reference.main), shown(measured, measured.quantized.main), shown(measured, chance), measured.records);
}

GlobalRemark wrong_data(const Accuracy& before, const Accuracy& after, const Steps& steps, const std::string& beginning) {
  return {"wrong data",
          fmt::format("{}with the data {}, the float model has {} instead of {} (the quantized one {} instead of {}): the data of this "
                      "evaluation were not pre-processed as those of training were. Correct their pre-processing; the models are not at "
                      "fault",
                      beginning, words_of(steps), shown(before, after.reference.main), shown(before, before.reference.main),
                      shown(before, after.quantized.main), shown(before, before.quantized.main))};
}

GlobalRemark wrong_labels(const Accuracy& before, const LabelReading& reading, const std::string& beginning) {
  return {"wrong labels",
          fmt::format("{}where {}, the float model is right in {} of the records instead of {}: correct the labels; the models are not at "
                      "fault",
                      beginning, reading.words, shown(before, reading.right), shown(before, before.reference.main))};
}

GlobalRemark both_wrong(const Accuracy& measured, const std::string& beginning, std::size_t outside) {
  const std::string none = outside == 0 ? "" : fmt::format("{} labels name none of the {} classes; ", outside, measured.classes);
  return {"both models wrong",
          fmt::format("{}{}none of the usual errors that were tried (scale, mean and deviation, channel order, memory layout, labels that "
                      "count from 1, classes in another order) makes the float model good: look at a few records with their labels, and "
                      "whether the float model is the one that was trained",
                      beginning, none)};
}

/// The reading of labels that wins most; one that is fitted to the answers only where no other does about as well.
const LabelReading* best_reading(const std::vector<LabelReading>& readings, double needed) {
  const LabelReading* best = nullptr;
  for (const LabelReading& reading : readings) {
    if (reading.right >= (reading.guessed ? std::max(needed, kExplained) : needed) &&
        (best == nullptr || reading.right > best->right + (reading.guessed ? kLeastGain : 0)))
      best = &reading;
  }
  return best;
}

Status explain_poor(const Evaluation& evaluation, const Accuracy& before, DiagnoseResult& result) {
  const bool labelled = before.by_class();
  const std::vector<std::int64_t> labels = labelled ? evaluation.labels() : std::vector<std::int64_t>{};
  const double chance = chance_of(labels);
  const std::string beginning = chance_words(before, chance);
  const double gained = before.reference.main + needed_gain(before, before.records);
  const double needed = labelled ? std::max(gained, chance + kAboveChance) : gained;
  const auto readings = label_readings(before.best, labels, before.classes, evaluation.offset());
  const LabelReading* const reading = best_reading(readings, needed);
  VISQ_ASSIGN(const Steps steps, find_steps(evaluation));
  Scored after;
  if (!steps.empty()) {
    VISQ_ASSIGN(after, evaluation.confirmed(steps));
  }
  const bool data_win = after && after->reference.main >= needed;
  if (reading != nullptr && (!data_win || reading->right > after->reference.main + (reading->guessed ? kLeastGain : 0))) {
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
  if (!options.scoring.judges()) return {};
  Evaluation evaluation(subject, options, result.quantized_mode);
  VISQ_ASSIGN(result.accuracy, evaluation.as_it_is());
  if (!result.accuracy) return {};
  evaluation.keep_to(result.accuracy->output);
  const double value = result.accuracy->reference.main;
  return value < needs_no_excuse(*result.accuracy) ? explain_poor(evaluation, *result.accuracy, result) : Status();
}

}  // namespace visq::diagnosis
