#include "diagnosis/whole/natural_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/records/model_runner.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "visq/run.h"

namespace visq::diagnosis {
namespace {

/// Differences from which a number speaks clearly.
constexpr double kClearlyApart = 0.2, kClearlyIdle = 0.15;
/// Inputs so many times larger make answers surer by themselves: then the others must tell less than this apart, and be so far behind.
constexpr double kLarger = 1.2, kHardlyApart = 0.3, kFarApart = 0.4;
/// A channel that fires for less than this share of its values, or for all but this share, is idle.
constexpr double kHardlyEver = 0.01;
constexpr std::int64_t kMostAnswers = 32;
/// Answers to fewer records say nothing about how they differ.
constexpr std::int64_t kFewestAnswers = 8;

double entropy(const std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares) sum -= share > 0 ? share * std::log(share) : 0;
  return sum;
}

/// Sums over answers, each a row of probabilities.
class Answers {
 public:
  void add(const float* row, std::size_t classes) {
    std::vector<double> shares(row, row + classes);
    if (std::any_of(shares.begin(), shares.end(), [](double each) { return !std::isfinite(each); })) return;
    sum_.resize(classes, 0);
    for (std::size_t i = 0; i < classes; ++i) sum_[i] += shares[i];
    entropies_ += entropy(shares), ++count_;
  }
  std::optional<double> told_apart() const {
    if (count_ < kFewestAnswers || sum_.size() < 2) return std::nullopt;
    std::vector<double> mean = sum_;
    for (double& each : mean) each /= static_cast<double>(count_);
    const double most = std::log(static_cast<double>(std::min<std::size_t>(sum_.size(), as_size(count_))));
    return (entropy(mean) - entropies_ / static_cast<double>(count_)) / most;
  }

 private:
  std::vector<double> sum_;
  double entropies_ = 0;
  std::int64_t count_ = 0;
};

/// How often each channel (of the last axis) of a map is above zero.
struct Firing {
  std::vector<std::int64_t> above;
  std::int64_t rows = 0;

  void add(const float* values, std::size_t count, std::size_t channels) {
    if (channels == 0 || (rows > 0 && above.size() != channels)) return;
    above.resize(channels, 0);
    for (std::size_t i = 0; i < count; ++i) above[i % channels] += values[i] > 0 ? 1 : 0;
    rows += static_cast<std::int64_t>(count / channels);
  }
  double idle() const {
    const auto all = static_cast<double>(rows);
    const auto is_idle = [&](std::int64_t each) {
      return static_cast<double>(each) < kHardlyEver * all || static_cast<double>(each) > (1 - kHardlyEver) * all;
    };
    return static_cast<double>(std::count_if(above.begin(), above.end(), is_idle)) / static_cast<double>(above.size());
  }
};

bool ends_at_zero(const Operator& op) {
  const auto clamp = kernels::clamp_of(op);
  return clamp.has_value() && clamp->low == 0;
}

class Watch {
 public:
  explicit Watch(const Subject& subject) : graph_(subject.r()) {
    const auto& outputs = subject.reference().main().outputs;
    const int maker = outputs.empty() ? -1 : graph_.maker(graph_.origin(outputs[0]));
    if (maker >= 0 && kernels::kind_of(graph_.op(maker)) == kernels::OpKind::kSoftmax) answer_ = outputs[0];
  }
  void see(int tensor, const kernels::Tensor& map) {
    const int maker = graph_.maker(tensor);
    const bool fires = maker >= 0 && ends_at_zero(graph_.op(maker));
    const float* values = fires || tensor == answer_ ? analysis::real_values(map, scratch_) : nullptr;
    if (values == nullptr || map.shape.rank() == 0) return;
    const auto last = as_size(map.shape.back()), count = as_size(map.elements());
    if (tensor == answer_ && last == count) answers_.add(values, count);
    if (fires) maps_[tensor].add(values, count, last);
  }
  Liveliness result() const {
    Liveliness result{answers_.told_apart(), std::nullopt, 0};
    double sum = 0;
    for (const auto& [tensor, firing] : maps_) sum += firing.idle();
    if (!maps_.empty()) result.idle = sum / static_cast<double>(maps_.size());
    return result;
  }

 private:
  const quant::GraphIndex& graph_;
  int answer_ = kNoTensor;
  Answers answers_;
  std::map<int, Firing> maps_;
  std::vector<float> scratch_;
};

/// Sums for the RMS of inputs.
struct Magnitude {
  double squares = 0, count = 0;

  void add(const Array& input) {
    if (input.dtype != DType::kFloat32) return;
    for (const float value : input.values<float>()) {
      if (std::isfinite(value)) squares += static_cast<double>(value) * static_cast<double>(value), ++count;
    }
  }
  double rms() const { return count > 0 ? std::sqrt(squares / count) : 0; }
};

Result<Liveliness> liveliness(const Subject& subject, RecordSource& data, RecordRange records, std::vector<const PreProcessing*> steps) {
  VISQ_ASSIGN(const auto source, changed_records(data, subject.reference(), subject.quantized(), std::move(steps), {}));
  VISQ_ASSIGN(const auto feed, InputFeed::create(subject.reference(), &subject.quantized()));
  analysis::ModelRunner runner(subject.reference_model(), Mode::kFp32);
  Watch watch(subject);
  Magnitude magnitude;
  const std::int64_t last = std::min(records.last, records.first + kMostAnswers);
  for (std::int64_t index = records.first; index < last; ++index) {
    VISQ_ASSIGN(const Record record, source->read(index));
    VISQ_ASSIGN(const auto inputs, feed.for_model(record));
    for (const Array& input : inputs) magnitude.add(input);
    VISQ_TRY(runner.run(inputs, [&](int tensor, const runtime::Executor& executor) -> Status {
      watch.see(tensor, executor.tensor(tensor));
      return {};
    }));
  }
  Liveliness result = watch.result();
  result.magnitude = magnitude.rms();
  return result;
}

/// Votes are 1: the data as given are better, -1: the changed ones, 0: it does not say.
int vote_of_channels(const Liveliness& given, const Liveliness& changed) {
  if (!given.idle || !changed.idle || std::fabs(*given.idle - *changed.idle) < kClearlyIdle) return 0;
  return *given.idle < *changed.idle ? 1 : -1;
}

int vote_of_answers(const Liveliness& given, const Liveliness& changed) {
  if (!given.told_apart || !changed.told_apart) return 0;
  const bool better = *given.told_apart > *changed.told_apart;
  const Liveliness &winner = better ? given : changed, &other = better ? changed : given;
  const double ahead = *winner.told_apart - *other.told_apart;
  const bool by_size = winner.magnitude > kLarger * other.magnitude;
  const bool clear = by_size ? *other.told_apart < kHardlyApart && ahead >= kFarApart : ahead >= kClearlyApart;
  return clear ? (better ? 1 : -1) : 0;
}

}  // namespace

NaturalData DataEvidence::verdict() const {
  const int votes = vote_of_answers(given, changed) + vote_of_channels(given, changed);
  if (votes == 0) return NaturalData::kOpen;
  return votes > 0 ? NaturalData::kAsGiven : NaturalData::kChanged;
}

std::string DataEvidence::words() const {
  std::string text;
  if (given.told_apart && changed.told_apart) {
    text = fmt::format("its answers tell the records apart by {:.2f} of 1, with the data {} by {:.2f}", *given.told_apart, change,
                       *changed.told_apart);
  }
  if (given.idle && changed.idle) {
    text += fmt::format("{}{:.0f} % of its channels never fire or always do, {} {:.0f} %", text.empty() ? "" : "; ", 100 * *given.idle,
                        text.empty() ? "with the data " + change : "then", 100 * *changed.idle);
  }
  return text;
}

std::string DataEvidence::conclusion() const {
  constexpr std::string_view kProof = "--labels or --eval would prove it";
  switch (verdict()) {
    case NaturalData::kAsGiven:
      return fmt::format(
          "The float model was made for data like these ({}), so it is the data of calibration that differ: calibrate again with data "
          "pre-processed as these are ({})",
          words(), kProof);
    case NaturalData::kChanged:
      return fmt::format(
          "The float model was made for other data than these ({}): correct the pre-processing of the evaluation data; if they are right "
          "after all, calibrate again with data pre-processed as these are ({})",
          words(), kProof);
    case NaturalData::kOpen:
      return "";
  }
  return "";
}

std::optional<PreProcessing> suspected_change(const Symptoms& symptoms, const std::optional<RangeFit>& fit) {
  return fit && fit->undo ? fit->undo : stretch_to_range(symptoms);
}

Result<DataEvidence> weigh_data(const Subject& subject, RecordSource& data, const RunRequest& request, const PreProcessing& change) {
  DataEvidence evidence{change.words, {}, {}};
  VISQ_ASSIGN(evidence.given, liveliness(subject, data, request.records, {}));
  VISQ_ASSIGN(evidence.changed, liveliness(subject, data, request.records, {&change}));
  return evidence;
}

}  // namespace visq::diagnosis
