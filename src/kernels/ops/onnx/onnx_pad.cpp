// ONNX operators that widen or crop maps: Pad in all its modes, CenterCropPad.
#include <algorithm>
#include <numeric>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/element_sizes.h"
#include "kernels/indexing/interior_padding.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_pad {
namespace {

using Sizes = std::vector<std::int64_t>;

/// The axes that input `slot` or the attribute lists; else all.
Result<std::vector<int>> listed_axes(PrepareContext& context, int slot) {
  const int rank = context.input(0).shape.rank();
  VISQ_ASSIGN(auto given, integers_or_input(context, "axes", slot));
  if (!given) {
    given.emplace(as_size(rank));
    std::iota(given->begin(), given->end(), 0);
  }
  std::vector<int> axes;
  for (const std::int64_t each : *given) {
    VISQ_ASSIGN(const int axis, checked_axis(context, each, rank));
    if (std::ranges::find(axes, axis) != axes.end()) return context.fail("lists axis {} twice", axis);
    axes.push_back(axis);
  }
  return axes;
}

/// Sizes of the border: all those before, then all those behind; only for some axes since operator set 18. Negative ones crop.
Result<std::vector<AxisPadding>> borders(PrepareContext& context) {
  VISQ_ASSIGN(const auto pads, integers_or_input(context, "pads", 1));
  VISQ_ASSIGN(const auto axes, listed_axes(context, 3));
  if (!pads || pads->size() != 2 * axes.size()) return context.fail("has {} pads for {} axes", pads ? pads->size() : 0, axes.size());
  std::vector<AxisPadding> paddings(as_size(context.input(0).shape.rank()));
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  for (const std::int64_t size : *pads) {
    if (size < -kLargest || size > kLargest) return context.fail("a border of {}", size);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) paddings[as_size(axes[i])] = {(*pads)[i], (*pads)[axes.size() + i]};
  return paddings;
}

/// Surrounds by input `slot`; by zeros, or a number of float32, where there is none.
Result<std::unique_ptr<Kernel>> surrounded(PrepareContext& context, std::span<const AxisPadding> paddings, int slot, float number = 0) {
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(0);
  if (context.has_input(slot)) {
    VISQ_TRY(context.expect_same_type(slot, "the border's value", 0));
    if (context.input(slot).elements() != 1)
      return context.fail("the border's value has the shape {}", to_string(context.input(slot).shape));
  }
  VISQ_ASSIGN(auto pad, InteriorPad::plan(context, input.shape, paddings));
  VISQ_TRY(context.set_output(0, input.dtype, pad.padded()));
  return make_kernel([pad = std::move(pad), slot, number](EvalContext& eval) -> Status {
    std::byte room[sizeof(DoubleWord)] = {};
    std::copy_n(reinterpret_cast<const std::byte*>(&number), sizeof(number), room);
    Tensor value;
    value.dtype = eval.input(0).dtype;
    value.data = room;
    pad.run(eval.input(0), eval.has_input(slot) ? eval.input(slot) : value, eval.output(0));
    return {};
  });
}

enum class Border : std::uint8_t { kEdge, kReflect, kWrap };

/// Which element of an axis of `size` stands `at` before or behind its beginning.
std::int64_t mirrored(std::int64_t at, std::int64_t size, Border border) {
  if (border == Border::kEdge) return std::clamp<std::int64_t>(at, 0, size - 1);
  const std::int64_t period = border == Border::kWrap ? size : std::max<std::int64_t>(1, 2 * (size - 1));
  const std::int64_t place = (at % period + period) % period;
  return place < size ? place : period - place;
}

/// Which elements of the input each axis of the output has, as offsets.
struct AxisMaps {
  std::vector<Sizes> offsets;
  Shape shape;
};

Result<AxisMaps> axis_maps(PrepareContext& context, std::span<const AxisPadding> paddings, Border border) {
  const Shape& from = context.input(0).shape;
  const auto strides = dense_strides(from);
  AxisMaps maps;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const AxisPadding& padding = paddings[as_size(axis)];
    const auto with_low = checked_add(from[axis], padding.low);
    const auto size = with_low ? checked_add(*with_low, padding.high) : std::nullopt;
    if (!size || *size < 0) return context.fail("axis {} of size {} has borders of {} and {}", axis, from[axis], padding.low, padding.high);
    if (from[axis] == 0 && *size > 0) return context.fail("axis {} has no elements to repeat", axis);
    maps.shape.push_back(*size);
  }
  VISQ_TRY(context.set_output(0, context.input(0).dtype, maps.shape));
  if (maps.shape.elements() == 0) return maps;
  for (int axis = 0; axis < from.rank(); ++axis) {
    Sizes& offsets = maps.offsets.emplace_back();
    for (std::int64_t i = 0; i < maps.shape[axis]; ++i) {
      offsets.push_back(mirrored(i - paddings[as_size(axis)].low, from[axis], border) * strides[as_size(axis)]);
    }
  }
  return maps;
}

/// Fills `out` axis by axis; returns what follows.
template <class T>
T* fill_axes(const AxisMaps& maps, std::size_t axis, const T* in, T* out) {
  if (axis == maps.offsets.size()) {
    *out = *in;
    return out + 1;
  }
  for (const std::int64_t offset : maps.offsets[axis]) {
    if (axis + 1 == maps.offsets.size()) {
      *out++ = in[offset];
    } else {
      out = fill_axes(maps, axis + 1, in + offset, out);
    }
  }
  return out;
}

Result<std::unique_ptr<Kernel>> repeated(PrepareContext& context, std::span<const AxisPadding> paddings, Border border) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(AxisMaps maps, axis_maps(context, paddings, border));
  return make_kernel([maps = std::move(maps)](EvalContext& eval) -> Status {
    if (eval.output(0).elements() == 0) return {};
    with_size_of(eval.output(0).dtype, [&]<class T>(std::type_identity<T>) {
      fill_axes(maps, 0, reinterpret_cast<const T*>(eval.input(0).data), reinterpret_cast<T*>(eval.output(0).data));
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_pad(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 4));
  VISQ_ASSIGN(const auto paddings, borders(context));
  const auto mode = context.attributes().text("mode", "constant");
  if (mode == "edge") return repeated(context, paddings, Border::kEdge);
  if (mode == "reflect") return repeated(context, paddings, Border::kReflect);
  if (mode == "wrap") return repeated(context, paddings, Border::kWrap);
  if (mode != "constant") return context.fail("mode is '{}'", mode);
  const auto number = static_cast<float>(context.attributes().real("value"));  // up to operator set 10
  if (number != 0 && context.input(0).dtype != DType::kFloat32) return context.unsupported("a border of {}", number);
  return surrounded(context, paddings, 2, number);
}

/// Sizes for some axes: what is too large is cropped, what is too small surrounded by zeros; of an odd rest the smaller half comes first.
Result<std::unique_ptr<Kernel>> prepare_center(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  constexpr int kNone = 9;
  VISQ_ASSIGN(const auto axes, listed_axes(context, kNone));
  VISQ_ASSIGN(const auto sizes, integers_of(context, 1, "the shape", static_cast<int>(axes.size())));
  const Shape& from = context.input(0).shape;
  std::vector<AxisPadding> paddings(as_size(from.rank()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 0) return context.fail("axis {} would have the size {}", axes[i], sizes[i]);
    const std::int64_t rest = sizes[i] - from[axes[i]];
    paddings[as_size(axes[i])] = {rest / 2, rest - rest / 2};
  }
  return surrounded(context, paddings, kNone);
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.CenterCropPad", .prepare = prepare_center, .types = kMovable},
    {.name = "ai.onnx.Pad", .prepare = prepare_pad, .types = kMovable, .kind = OpKind::kPad},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_pad
