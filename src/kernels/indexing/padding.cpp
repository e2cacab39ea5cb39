#include "kernels/indexing/padding.h"

#include <cstring>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/stored.h"

namespace visq::kernels {

Result<Paddings> read_paddings(PrepareContext& context, int slot, const Shape& shape) {
  VISQ_ASSIGN(const auto values, context.integers(slot, "paddings"));
  const Shape expected{shape.rank(), 2};
  if (context.input(slot).shape != expected) {
    return context.fail("paddings have the shape {}, expected {}", to_string(context.input(slot).shape), to_string(expected));
  }
  Paddings paddings;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto i = as_size(axis) * 2;
    const std::int64_t before = values[i], after = values[i + 1];
    if (before < 0 || after < 0) return context.fail("axis {} is padded by {} and {}", axis, before, after);
    const auto border = checked_add(before, after);
    const auto size = border ? checked_add(*border, shape[axis]) : border;
    if (!size) return context.fail("axis {} is padded by {} and {}", axis, before, after);
    paddings.before.push_back(before);
    paddings.after.push_back(after);
    paddings.padded.push_back(*size);
  }
  return paddings;
}

Result<std::int64_t> padding_zero(const PrepareContext& context) {
  const Tensor& output = context.output(0);
  if (!output.quantized()) return 0;
  VISQ_TRY(expect_per_tensor(context, output, "the output"));
  return stored_grid(output).zero_point;
}

std::int64_t interior_offset(const Paddings& paddings) {
  const auto strides = dense_strides(paddings.padded);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) offset += paddings.before[i] * strides[i];
  return offset;
}

Surround::Surround(const Shape& input, const Paddings& paddings) {
  const auto strides = dense_strides(paddings.padded);
  const Walk value{0, std::vector<std::int64_t>(strides.size(), 0)};
  Walk middle{interior_offset(paddings), strides};
  interior_ = StridedCopy(input, dense_walk(input), middle);
  Shape region = input;  // axes behind the current one at their full size, those before it without their border
  for (int axis = input.rank() - 1; axis >= 0; --axis) {
    const auto i = as_size(axis);
    const std::int64_t front = middle.offset - paddings.before[i] * strides[i];
    region[axis] = paddings.before[i];
    borders_.emplace_back(region, value, Walk{front, strides});
    region[axis] = paddings.after[i];
    borders_.emplace_back(region, value, Walk{middle.offset + input[axis] * strides[i], strides});
    region[axis] = paddings.padded[axis];
    middle.offset = front;
  }
}

void Surround::run(const Tensor& input, const Tensor& value, Tensor& output) const {
  interior_.run(input, output);
  for (const StridedCopy& border : borders_) border.run(value, output);
}

void Surround::run(const Tensor& input, std::int64_t value, Tensor& output) const {
  alignas(16) std::byte bytes[16] = {};
  std::memcpy(bytes, &value, sizeof value);  // little-endian: the first bytes are the value as a shorter integer
  Tensor element;
  element.dtype = input.dtype;
  element.data = bytes;
  run(input, element, output);
}

}  // namespace visq::kernels
