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
constexpr CutKind kCuts[] = {{"SPLIT", 1}, {"SPLIT_V", 0}, {"SLICE", 0}, {"STRIDED_SLICE", 0}, {"Split", 0}, {"Slice", 0}};

const CutKind* cut_kind(const Operator& op) {
  const auto* const found = std::find_if(std::begin(kCuts), std::end(kCuts), [&](const CutKind& kind) { return op.type == kind.type; });
  return found == std::end(kCuts) ? nullptr : found;
}

/// Where Slice of ONNX begins on an axis: it lists the axes that it cuts, as inputs or, in early operator sets, as attributes.
std::optional<std::int64_t> onnx_begin(const GraphIndex& index, const Operator& op, int axis, int rank) {
  const auto numbers = [&](std::string_view name, std::size_t slot) -> std::optional<std::vector<std::int64_t>> {
    if (slot < op.inputs.size() && op.inputs[slot] >= 0) return integer_constant(index, op.inputs[slot]);
    const auto given = op.attributes.integers(name);
    return std::vector<std::int64_t>(given.begin(), given.end());
  };
  const auto starts = numbers("starts", 1), axes = numbers("axes", 3), steps = numbers("steps", 4);
  if (!starts || !axes || !steps || std::ranges::any_of(*steps, [](std::int64_t step) { return step != 1; })) return std::nullopt;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::int64_t own = axes->empty() ? static_cast<std::int64_t>(i) : i < axes->size() ? (*axes)[i] : rank;
    if ((own < 0 ? own + rank : own) == axis) return (*starts)[i];
  }
  return std::nullopt;
}

/// Where SLICE or STRIDED_SLICE begins on an axis.
std::optional<std::int64_t> begin_on(const GraphIndex& index, const Operator& op, int axis, int rank) {
  const auto starts = op.inputs.size() > 1 ? integer_constant(index, op.inputs[1]) : std::nullopt;
  if (!starts || starts->size() != as_size(rank)) return std::nullopt;
  if (op.inputs.size() > 3) {  // strides
    const auto strides = integer_constant(index, op.inputs[3]);
    if (!strides || std::ranges::any_of(*strides, [](std::int64_t step) { return step != 1; })) return std::nullopt;
  }
  const bool from_start = (op.attributes.integer("begin_mask") >> axis & 1) != 0;
  return from_start ? 0 : (*starts)[as_size(axis)];
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
  const auto begin = node.domain.empty() ? begin_on(index, node, cut.axis, whole.rank()) : onnx_begin(index, node, cut.axis, whole.rank());
  if (!begin) return std::nullopt;
  cut.begin = *begin < 0 ? *begin + whole[cut.axis] : *begin;
  return cut;
}

}  // namespace visq::quant
