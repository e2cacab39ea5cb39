#include "diagnosis/measured_pair.h"

#include <set>

#include "analysis/records/model_runner.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "model/slots.h"
#include "visq/run.h"

namespace visq::diagnosis {

Result<std::unique_ptr<MeasuredPair>> MeasuredPair::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                           RecordSource& data, const RunRequest& request) {
  VISQ_ASSIGN(auto subject, Subject::create(reference, quantized, request.pairs));
  std::unique_ptr<MeasuredPair> pair(new MeasuredPair(std::move(subject)));
  VISQ_TRY(pair->measure(data, request.records));
  if (!keeps_state(*reference) && !keeps_state(*quantized)) VISQ_TRY(pair->what_if_.order_by_error(quantized, Mode::kFakeQuant));
  return pair;
}

Status MeasuredPair::measure(RecordSource& data, RecordRange records) {
  VISQ_ASSIGN(const auto feed, InputFeed::create(subject_->reference(), &subject_->quantized()));
  std::set<int> wanted;
  for (const int tensor : subject_->q().feature_maps()) {
    if (subject_->q().tensor(tensor).quantization.quantized() && subject_->reference_of(tensor) >= 0) {
      wanted.insert(subject_->reference_of(tensor));
    }
  }
  for (const PairedConstant& constant : subject_->constants()) {
    const Operator& op = subject_->r().op(constant.reference_node);
    const auto slots = kernels::facts_of(op).weights;
    if (slots && input_of(op, slots->data) != kNoTensor) wanted.insert(input_of(op, slots->data));
  }
  analysis::ModelRunner runner(subject_->reference_model(), Mode::kFp32);
  std::vector<float> scratch;
  for (std::int64_t index = records.first; index < records.last; ++index) {
    VISQ_ASSIGN(const Record record, data.read(index));
    VISQ_ASSIGN(const auto inputs, feed.for_model(record));
    VISQ_ASSIGN(auto twin, feed.for_twin(record));
    VISQ_TRY(what_if_.add(std::move(twin)));
    const auto look = [&](int tensor, const runtime::Executor& executor) -> Status {
      VISQ_TRY(what_if_.see(tensor, executor.tensor(tensor)));
      const float* map = wanted.contains(tensor) ? analysis::real_values(executor.tensor(tensor), scratch) : nullptr;
      if (map == nullptr) return {};
      const std::span elements(map, as_size(executor.tensor(tensor).elements()));
      values_[tensor].sketch.add(elements);
      values_[tensor].moments.add(elements);
      const Shape& shape = executor.tensor(tensor).shape;
      if (shape.rank() > 0) values_[tensor].channels.add(elements, shape[shape.rank() - 1]);
      return {};
    };
    VISQ_TRY(runner.run(inputs, look));
  }
  return {};
}

}  // namespace visq::diagnosis
