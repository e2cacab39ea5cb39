#include "analysis/records/sequence_feed.h"

#include <algorithm>
#include <cstring>

#include "analysis/records/owned_map.h"
#include "analysis/records/real_values.h"
#include "analysis/records/sequence_links.h"
#include "core/as_size.h"
#include "core/error.h"
#include "visq/run.h"

namespace visq::analysis {
namespace {

/// Zero in the input's stored shape: 0.0 for quantized inputs, which is their zero point.
Array zeros(const TensorInfo& input) {
  const bool real = is_floating(input.dtype) || input.quantization.quantized();
  return make_array(real ? DType::kFloat32 : input.dtype, input.shape);
}

/// An output as the next record takes it: quantized ones by their real values, since the input has a grid of its own.
Result<Array> fed_back(const runtime::Executor& executor, int tensor) {
  const kernels::Tensor& map = executor.tensor(tensor);
  if (!executor.available(tensor) || !map.quantized()) return copy_map(executor, tensor);
  std::vector<float> scratch;
  const float* values = real_values(map, scratch);
  if (values == nullptr) return copy_map(executor, tensor);
  Array array = make_array(DType::kFloat32, map.shape);
  std::memcpy(array.bytes.data(), values, array.bytes.size());
  return array;
}

}  // namespace

Result<SequenceFeed> SequenceFeed::create(const Model& model, const Model* twin, const SequenceOptions& options) {
  VISQ_ASSIGN(auto data, InputFeed::create(model, twin));
  VISQ_ASSIGN(const auto links, sequence_links(model, twin, options));
  SequenceFeed feed(std::move(data));
  feed.length_ = options.length;
  feed.starts_ = options.starts;
  feed.ended_ = options.ended;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int input = model.main().inputs[as_size(links[i].input)];
    feed.links_.push_back({links[i].input,
                           {links[i].output, links[i].twin_output},
                           i < options.state.size() ? options.state[i] : zeros(model.main().tensors[as_size(input)])});
  }
  return feed;
}

bool SequenceFeed::in_order(std::initializer_list<const Model*> models) const {
  return !links_.empty() || std::any_of(models.begin(), models.end(), [](const Model* model) { return keeps_state(*model); });
}

KeptOutputs SequenceFeed::start(Side side, std::int64_t record) const {
  const auto sequence = length_ > 0 ? as_size(record / length_) : 0;
  if (starts_ == nullptr || sequence >= starts_->size()) return {};
  return side == Side::kModel ? (*starts_)[sequence].model : (*starts_)[sequence].twin;
}

Record SequenceFeed::complete(Record record, KeptOutputs kept) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto position = as_size(links_[i].position);
    if (position < record.inputs.size()) record.inputs[position] = kept.empty() ? links_[i].start : std::move(kept[i]);
  }
  return record;
}

Result<std::vector<Array>> SequenceFeed::inputs(Side side, Record record, KeptOutputs&& kept) const {
  if (!links_.empty()) record = complete(std::move(record), std::move(kept));
  return side == Side::kModel ? feed_.for_model(std::move(record)) : feed_.for_twin(std::move(record));
}

Status SequenceFeed::keep(Side side, const runtime::Executor& executor, KeptOutputs& kept) const {
  kept.clear();
  for (const Link& link : links_) {
    const int tensor = link.output[side == Side::kModel ? 0 : 1];
    auto array = fed_back(executor, tensor);
    if (!array.ok()) return Error{array.error().reason, "--feed-back: " + array.error().message};
    kept.push_back(std::move(array).value());
  }
  return {};
}

}  // namespace visq::analysis
