#include "kernels/onnx/bodies.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"

namespace visq::kernels {
namespace {

constexpr std::string_view kCaptured = "captured_inputs";

/// Sizes with one more in between.
Shape with_axis(const Shape& element, std::int64_t axis, std::int64_t size) {
  std::vector<std::int64_t> dims(element.dims().begin(), element.dims().end());
  dims.insert(dims.begin() + axis, size);
  return Shape(std::move(dims));
}

}  // namespace

int captured_by(const PrepareContext& context, std::size_t position) {
  const auto counts = context.attributes().integers(kCaptured);
  return position < counts.size() ? static_cast<int>(counts[position]) : 0;
}

Result<std::vector<Body>> bodies_of(const PrepareContext& context, std::initializer_list<std::string_view> names) {
  std::vector<Body> bodies;
  for (const std::string_view name : names) {
    Body body;
    body.subgraph = static_cast<int>(context.attributes().integer(std::string(name) + "_subgraph", -1));
    body.graph = context.called(body.subgraph);
    if (body.graph == nullptr) return context.fail("has no graph in its attribute {}", name);
    bodies.push_back(body);
  }
  int first = context.input_count();
  for (std::size_t i = bodies.size(); i-- > 0;) {
    first -= captured_by(context, i);
    if (first < 0) return context.fail("has {} inputs, fewer than its graphs take from around them", context.input_count());
    bodies[i].captured = first;
  }
  return bodies;
}

Status declare(PrepareContext& context, int slot, const std::optional<Shape>& shape) {
  if (shape) return context.set_output(slot, context.output(slot).dtype, *shape);
  context.leave_open(slot);
  return {};
}

Shape least_shape(const TensorInfo& info) {
  if (!info.has_rank) return {};
  std::vector<std::int64_t> dims(info.shape.dims().begin(), info.shape.dims().end());
  for (std::size_t axis = 0; axis < info.shape_signature.size(); ++axis) {
    if (info.shape_signature[axis] < 0) dims[axis] = 0;
  }
  return Shape(std::move(dims));
}

void Scratch::resize(DType type, Shape shape) {
  tensor.dtype = type;
  tensor.shape = std::move(shape);
  bytes.resize(as_size(tensor.elements()) * size_of(type));
  tensor.data = bytes.data();
}

Status Stack::append(const Tensor& value, const std::string& place) {
  if (count_ > 0 && (value.shape != first_.shape || value.dtype != first_.dtype)) {
    return bad_input("{}: its body gives {} of shape {}, in its first turn {} of {}", place, name(value.dtype), to_string(value.shape),
                     name(first_.dtype), to_string(first_.shape));
  }
  if (count_ == 0) first_.shape = value.shape, first_.dtype = value.dtype;
  const std::size_t size = as_size(value.elements()) * size_of(value.dtype), needed = bytes_.size() + size;
  if (needed > bytes_.capacity()) {
    const std::size_t room = std::max(needed, 2 * bytes_.capacity());
    MemoryClaim claim(room);
    if (!claim.granted()) return bad_input("{}: no memory for the results of its body: {}", place, memory_shortage(room));
    bytes_.reserve(room);
    claim_ = std::move(claim);
  }
  if (size > 0) bytes_.insert(bytes_.end(), value.data, value.data + size);
  ++count_;
  return {};
}

Result<const Tensor*> Stack::joined(DType type, const Shape& element, std::int64_t axis, bool backwards, const std::string& place) {
  const Shape& shape = count_ > 0 ? first_.shape : element;
  const DType stored = count_ > 0 ? first_.dtype : type;
  const std::int64_t at = axis < 0 ? axis + shape.rank() + 1 : axis;
  if (at < 0 || at > shape.rank()) return bad_input("{}: results of shape {} have no new axis {}", place, to_string(shape), axis);
  if (at == 0 && !backwards) {
    joined_.tensor.dtype = stored;
    joined_.tensor.shape = with_axis(shape, 0, count_);
    joined_.tensor.data = bytes_.data();
    return &joined_.tensor;
  }
  if (!affordable(bytes_.size())) return bad_input("{}: no memory for its output: {}", place, memory_shortage(bytes_.size()));
  joined_.resize(stored, with_axis(shape, at, count_));
  const std::size_t inner = as_size(shape.elements(static_cast<int>(at), shape.rank())) * size_of(stored);
  const auto outer = as_size(shape.elements(0, static_cast<int>(at))), turns = as_size(count_);
  for (std::size_t turn = 0; turn < turns && inner > 0; ++turn) {
    const std::size_t place_of_turn = backwards ? turns - 1 - turn : turn;
    for (std::size_t row = 0; row < outer; ++row) {
      std::memcpy(joined_.bytes.data() + (row * turns + place_of_turn) * inner, bytes_.data() + (turn * outer + row) * inner, inner);
    }
  }
  return &joined_.tensor;
}

}  // namespace visq::kernels
