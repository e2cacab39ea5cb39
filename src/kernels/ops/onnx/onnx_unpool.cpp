// MaxUnpool of ONNX: elements go back to where MaxPool found them, zeros elsewhere.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/onnx/indices.h"

namespace visq::kernels::ops_onnx_unpool {
namespace {

constexpr int kInput = 0, kPlaces = 1, kOutputShape = 2;

/// The number that an attribute has for an axis; `values` are as many as there are axes, or none.
Result<std::vector<std::int64_t>> numbers_of(const PrepareContext& context, std::string_view attribute, std::size_t count,
                                             std::int64_t fallback) {
  const auto given = context.attributes().integers(attribute);
  if (given.empty()) return std::vector<std::int64_t>(count, fallback);
  if (given.size() != count) return context.fail("has {} {}, expected {}", given.size(), attribute, count);
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  for (const std::int64_t value : given) {
    if (value < 0 || value > kLargest) return context.fail("{} holds {}", attribute, value);
  }
  return std::vector<std::int64_t>(given.begin(), given.end());
}

/// The smallest map that the pool can have had, which the places count in.
Result<Shape> unpooled(const PrepareContext& context) {
  const Shape& from = context.input(kInput).shape;
  if (from.rank() < 3) return context.fail("input has rank {}, expected 3 or more", from.rank());
  const auto axes = as_size(from.rank() - 2);
  VISQ_ASSIGN(const auto kernel, numbers_of(context, "kernel_shape", axes, 1));
  VISQ_ASSIGN(const auto strides, numbers_of(context, "strides", axes, 1));
  VISQ_ASSIGN(const auto pads, numbers_of(context, "pads", 2 * axes, 0));
  Shape shape{from[0], from[1]};
  for (std::size_t i = 0; i < axes; ++i) {
    const auto steps = checked_mul(from[static_cast<int>(i) + 2] - 1, strides[i]);
    const std::int64_t size = steps ? *steps - pads[i] - pads[axes + i] + kernel[i] : -1;
    if (size < 0) return context.fail("axis {} of size {} would become {}", i + 2, from[static_cast<int>(i) + 2], size);
    shape.push_back(size);
  }
  return shape;
}

/// Indices count in `inner`, which stands at the beginning of the output.
Status put_back(const Shape& inner, const std::string& place, EvalContext& eval) {
  const auto in = eval.in<float>(kInput);
  const auto out = eval.out<float>(0);
  std::ranges::fill(out, 0.0F);
  const Shape& shape = eval.output(0).shape;
  const auto strides = dense_strides(shape);
  for (std::size_t i = 0; i < in.size(); ++i) {
    VISQ_ASSIGN(std::int64_t at, checked_index(eval.input(kPlaces), static_cast<std::int64_t>(i), inner.elements(), place));
    std::int64_t target = 0;
    for (int axis = inner.rank() - 1; axis >= 0; at /= inner[axis--]) target += at % inner[axis] * strides[as_size(axis)];
    out[as_size(target)] = in[i];
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kPlaces, "the indices", {DType::kInt64}));
  if (context.input(kPlaces).shape != context.input(kInput).shape) {
    return context.fail("indices of shape {} for an input of shape {}", to_string(context.input(kPlaces).shape),
                        to_string(context.input(kInput).shape));
  }
  VISQ_ASSIGN(const Shape inner, unpooled(context));
  Shape shape = inner;
  if (context.has_input(kOutputShape)) {
    VISQ_ASSIGN(auto sizes, context.integers(kOutputShape, "output_shape"));
    shape = Shape(std::move(sizes));
    if (shape.rank() != inner.rank()) return context.fail("output_shape is {}", to_string(shape));
  }
  for (int axis = 0; axis < inner.rank(); ++axis) {
    if (shape[axis] < inner[axis]) return context.fail("output_shape {} is smaller than {}", to_string(shape), to_string(inner));
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return make_kernel([inner, place = context.place()](EvalContext& eval) { return put_back(inner, place, eval); });
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.MaxUnpool", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_unpool
