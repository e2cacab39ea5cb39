#include "diagnosis/measured_pair.h"

#include <algorithm>
#include <set>

#include "analysis/records/model_runner.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "model/slots.h"
#include "visq/run.h"

namespace visq::diagnosis {
namespace {

/// What the reference is fed with, and its maps that have a quantized counterpart.
std::set<int> maps_to_measure(const Subject& subject) {
  std::set<int> wanted;
  for (const int tensor : subject.q().feature_maps()) {
    if (subject.q().tensor(tensor).quantization.quantized() && subject.reference_of(tensor) >= 0)
      wanted.insert(subject.reference_of(tensor));
  }
  for (const PairedConstant& constant : subject.constants()) {
    const Operator& op = subject.r().op(constant.reference_node);
    const auto slots = kernels::facts_of(op).weights;
    if (slots && input_of(op, slots->data) != kNoTensor) wanted.insert(input_of(op, slots->data));
  }
  return wanted;
}

}  // namespace

class MeasuredPair::Measurement {
 public:
  static Result<Measurement> create(MeasuredPair& pair) {
    VISQ_ASSIGN(auto feed, InputFeed::create(pair.subject_->reference(), &pair.subject_->quantized()));
    return Measurement(pair, std::move(feed));
  }

  Status add(const Record& record, const Use& use) {
    VISQ_ASSIGN(const auto inputs, feed_.for_model(record));
    VISQ_ASSIGN(auto twin, feed_.for_twin(record));
    VISQ_TRY(pair_.what_if_.add(std::move(twin), use.judges, use.afresh));
    if (use.afresh) runner_.forget();
    if (use.shows) VISQ_TRY(look_at_inputs(record));
    return runner_.run(inputs, [&](int tensor, const runtime::Executor& executor) -> Status {
      VISQ_TRY(pair_.what_if_.see(tensor, executor.tensor(tensor)));
      const float* map = wanted_.contains(tensor) ? analysis::real_values(executor.tensor(tensor), scratch_) : nullptr;
      if (map != nullptr) look_at(tensor, executor.tensor(tensor).shape, {map, as_size(executor.tensor(tensor).elements())}, use);
      return {};
    });
  }

  /// Inputs that are foreign in most records, with their values in all of these.
  std::vector<InputMismatch> foreign_inputs() const {
    std::vector<InputMismatch> foreign;
    for (const auto& [input, records] : foreign_) {
      if (2 * records.size() <= shown_) continue;
      foreign.push_back(records.front());
      for (const InputMismatch& each : records) {
        foreign.back().low = std::min(foreign.back().low, each.low);
        foreign.back().high = std::max(foreign.back().high, each.high);
      }
    }
    return foreign;
  }

 private:
  Measurement(MeasuredPair& pair, InputFeed feed)
      : pair_(pair),
        feed_(std::move(feed)),
        runner_(pair.subject_->reference_model(), Mode::kFp32),
        wanted_(maps_to_measure(*pair.subject_)),
        outputs_(pair.subject_->reference().main().outputs) {}

  Status look_at_inputs(const Record& record) {
    ++shown_;
    VISQ_ASSIGN(const auto mismatches, input_mismatches(record, pair_.subject_->reference(), pair_.subject_->quantized()));
    for (const InputMismatch& mismatch : mismatches) {
      if (mismatch.grave) foreign_[mismatch.input].push_back(mismatch);
    }
    return {};
  }

  void look_at(int tensor, const Shape& shape, std::span<const float> map, const Use& use) {
    MapValues& values = pair_.values_[tensor];
    // An output may be a single number: causes look at it in all records, since a few say nothing of how its sizes spread.
    if (use.shows || std::find(outputs_.begin(), outputs_.end(), tensor) != outputs_.end()) values.sketch.add(map), values.moments.add(map);
    if ((use.shows || use.fits) && shape.rank() > 0) values.channels.add(map, shape[shape.rank() - 1]);
    if (!use.fits && !use.shows) return;
    metrics::Moments moments;
    moments.add(map);
    if (moments.count == 0) return;
    const double low = std::min(moments.min, 0.0), high = std::max(moments.max, 0.0);
    if (use.shows) values.sums.low += low, values.sums.high += high, ++values.records;
    if (!use.fits) return;
    values.fitted.low = std::min(values.fitted.low, low);
    values.fitted.high = std::max(values.fitted.high, high);
  }

  MeasuredPair& pair_;
  InputFeed feed_;
  analysis::ModelRunner runner_;
  std::set<int> wanted_;
  std::vector<int> outputs_;
  std::vector<float> scratch_;
  std::map<int, std::vector<InputMismatch>> foreign_;  ///< by input
  std::size_t shown_ = 0;
};

MeasuredPair::MeasuredPair(std::unique_ptr<Subject> subject, bool in_order)
    : subject_(std::move(subject)), what_if_(*subject_, in_order), in_order_(in_order) {}

Result<std::unique_ptr<MeasuredPair>> MeasuredPair::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                           RecordSource& data, const DiagnoseOptions& options) {
  const bool in_order = keeps_state(*reference) || keeps_state(*quantized);
  VISQ_ASSIGN(auto subject, Subject::create(std::move(reference), quantized, options.pairs));
  std::unique_ptr<MeasuredPair> pair(new MeasuredPair(std::move(subject), in_order));
  VISQ_TRY(pair->measure(data, options));
  if (!in_order) VISQ_TRY(pair->what_if_.order_by_error(quantized, Mode::kFakeQuant));
  return pair;
}

/// See RepairRecords.
MeasuredPair::Use MeasuredPair::looked_at(std::int64_t position, std::int64_t count) const {
  const bool fits = count == 1 || (in_order_ ? 2 * position < count : position % 2 == 0);
  return {true, fits, true, false};
}

Status MeasuredPair::measure(RecordSource& data, const DiagnoseOptions& options) {
  VISQ_ASSIGN(Measurement measurement, Measurement::create(*this));
  const RecordRange &all = options.records, &judged = options.repairs.judged, &fitted = options.repairs.fitted;
  const std::int64_t count = all.last - all.first;
  const auto add = [&](std::int64_t index, Use use) -> Status {
    use.afresh = options.sequence_length > 0 && index % options.sequence_length == 0;
    judgement_.records += use.judges ? 1 : 0;
    judgement_.unseen += use.judges && !use.fits ? 1 : 0;
    VISQ_ASSIGN(const Record record, data.read(index));
    return measurement.add(record, use);
  };
  for (std::int64_t index = all.first; index < all.last; ++index) VISQ_TRY(add(index, looked_at(index - all.first, count)));
  for (std::int64_t index = fitted.first; index < fitted.last; ++index) VISQ_TRY(add(index, {false, true, false, false}));
  for (std::int64_t index = judged.first; index < judged.last; ++index) VISQ_TRY(add(index, {false, false, true, false}));
  foreign_inputs_ = measurement.foreign_inputs();
  return {};
}

}  // namespace visq::diagnosis
