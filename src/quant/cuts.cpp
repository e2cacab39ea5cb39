#include "quant/cuts.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/as_size.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::quant {
namespace {

/// In which input each of these operators has its data.
struct CutKind {
  std::string_view type;
  std::size_t data;
};
constexpr CutKind kCuts[] = {{"SPLIT", 1}, {"SPLIT_V", 0}, {"SLICE", 0}, {"STRIDED_SLICE", 0}};

const CutKind* cut_kind(const Operator& op) {
  const auto* const found = std::find_if(std::begin(kCuts), std::end(kCuts), [&](const CutKind& kind) { return op.type == kind.type; });
  return found == std::end(kCuts) ? nullptr : found;
}

}  // namespace

std::optional<std::vector<std::int64_t>> integer_constant(const GraphIndex& index, int tensor) {
  if (tensor < 0 || !index.tensor(tensor).is_constant) return std::nullopt;
  const TensorInfo& info = index.tensor(tensor);
  if (info.dtype == DType::kInt64) {
    std::vector<std::int64_t> values(info.data.size() / sizeof(std::int64_t));
    if (!values.empty()) std::memcpy(values.data(), info.data.data(), values.size() * sizeof(std::int64_t));
    return values;
  }
  const auto values = kernels::stored_integers(info, "");
  return values.ok() ? std::optional(std::vector<std::int64_t>(values->begin(), values->end())) : std::nullopt;
}

bool is_cut(const Operator& op) { return cut_kind(op) != nullptr; }

/// By the shapes of what it reads and makes, and for its place by the outputs before it (SPLIT) or its first integer constant (SLICE).
std::optional<Cut> cut_of(const GraphIndex& index, int op, int output) {
  const Operator& node = index.op(op);
  const CutKind* const kind = cut_kind(node);
  if (kind == nullptr || kind->data >= node.inputs.size() || node.inputs[kind->data] < 0) return std::nullopt;
  const Shape &whole = index.tensor(node.inputs[kind->data]).shape, &part = index.tensor(node.outputs[as_size(output)]).shape;
  if (whole.rank() != part.rank()) return std::nullopt;
  Cut cut{-1, 0, 0};
  for (int axis = 0; axis < whole.rank(); ++axis) {
    if (whole[axis] == part[axis]) continue;
    if (cut.axis >= 0) return std::nullopt;
    cut = {axis, 0, part[axis]};
  }
  if (cut.axis < 0) return std::nullopt;
  if (node.outputs.size() > 1) {
    for (int i = 0; i < output; ++i) {
      const Shape& earlier = index.tensor(node.outputs[as_size(i)]).shape;
      if (earlier.rank() != whole.rank()) return std::nullopt;
      cut.begin += earlier[cut.axis];
    }
    return cut;
  }
  const auto starts = node.inputs.size() > 1 ? integer_constant(index, node.inputs[1]) : std::nullopt;
  if (!starts || starts->size() != as_size(whole.rank())) return std::nullopt;
  if (node.inputs.size() > 3) {  // strides
    const auto strides = integer_constant(index, node.inputs[3]);
    if (!strides || std::any_of(strides->begin(), strides->end(), [](std::int64_t step) { return step != 1; })) return std::nullopt;
  }
  const bool from_start = (node.attributes.integer("begin_mask") >> cut.axis & 1) != 0;
  const std::int64_t begin = from_start ? 0 : (*starts)[as_size(cut.axis)];
  cut.begin = begin < 0 ? begin + whole[cut.axis] : begin;
  return cut;
}

}  // namespace visq::quant
