#include "data/sources/input_range.h"

#include <cmath>

#include "core/as_size.h"
#include "visq/data.h"

namespace visq::data {
namespace {

std::optional<InputRange> range_of(const TensorInfo& tensor) {
  if (!is_integer(tensor.dtype) || !tensor.quantization.quantized()) return std::nullopt;
  const IntegerRange stored = integer_range(tensor.dtype);
  const double scale = static_cast<double>(tensor.quantization.scale[0]);
  const double zero = static_cast<double>(tensor.quantization.zero_point[0]);
  const InputRange range{scale * (static_cast<double>(stored.low) - zero), scale * (static_cast<double>(stored.high) - zero)};
  const bool usable = std::isfinite(static_cast<float>(range.low)) && std::isfinite(static_cast<float>(range.high)) && scale > 0;
  return usable ? std::optional(range) : std::nullopt;
}

}  // namespace

std::optional<InputRange> input_range(const Model& model, int input) {
  const Subgraph& graph = model.main();
  if (auto range = range_of(graph.tensors[as_size(input)])) return range;
  for (const Operator& op : graph.operators) {
    if (op.type != "QUANTIZE" || op.inputs.empty() || op.inputs[0] != input || op.outputs.empty()) continue;
    if (auto range = range_of(graph.tensors[as_size(op.outputs[0])])) return range;
  }
  return std::nullopt;
}

std::vector<int> twin_inputs(const Model& model, const Model* twin) {
  std::vector<int> tensors(model.main().inputs.size(), -1);
  if (twin == nullptr) return tensors;
  const auto order = match_inputs(model, *twin);
  if (!order.ok()) return tensors;  // comparing the two will say why
  for (std::size_t i = 0; i < order->size(); ++i) tensors[as_size((*order)[i])] = twin->main().inputs[i];
  return tensors;
}

}  // namespace visq::data
