#include "data/sources/input_spec.h"

#include <cmath>

#include "core/as_size.h"
#include "core/checked.h"
#include "core/error.h"
#include "core/finite.h"
#include "core/half.h"
#include "core/joined.h"
#include "core/memory_size.h"
#include "model/printable.h"
#include "visq/limits.h"

namespace visq::data {
namespace {

/// Types that feed only inputs of the same type.
bool stands_alone(DType type) {
  return type == DType::kString || type == DType::kComplex64 || type == DType::kComplex128 || type == DType::kResource ||
         type == DType::kVariant;
}

bool fits(std::span<const std::int64_t> expected, std::span<const std::int64_t> found) {
  if (expected.size() != found.size()) return false;
  for (std::size_t axis = 0; axis < expected.size(); ++axis) {
    if (expected[axis] != -1 && expected[axis] != found[axis]) return false;
  }
  return true;
}

/// A record's shape without a first axis of 1.
std::span<const std::int64_t> without_one(std::span<const std::int64_t> dims) {
  return !dims.empty() && dims[0] == 1 ? dims.subspan(1) : dims;
}

/// What to do about a shape that does not fit, where it tells what is the matter; begins with ": ".
std::string shape_advice(std::span<const std::int64_t> expected, std::span<const std::int64_t> found) {
  const auto inner = without_one(found);
  if (expected.size() == 4 && inner.size() == 3) {
    const std::int64_t as_nchw[] = {expected[0], inner[2], inner[0], inner[1]}, as_nhwc[] = {expected[0], inner[1], inner[2], inner[0]};
    if (fits(expected, as_nhwc)) return ": the channels come first in the data, and last in the model: --layout nchw";
    if (fits(expected, as_nchw)) return ": the channels come last in the data, and first in the model: --layout nhwc";
  }
  const bool batch = !expected.empty() && expected[0] == 1 && found.size() == expected.size();
  if (batch && fits(expected.subspan(1), found.subspan(1))) {
    return fmt::format(": that is {} records in one; each must stand alone, as in numpy.save(\"x.npy\", numpy.concatenate(batches))",
                       found[0]);
  }
  const auto wanted = checked_elements(expected), given = checked_elements(found);
  if (wanted && given && wanted == given) {
    return fmt::format(": as many elements; numpy.reshape(x, (-1, {})) gives them these axes", joined(without_one(expected), ", "));
  }
  return "";
}

struct NonFinite {
  std::int64_t count = 0, first = 0;
};

template <class T, class ToFloat>
NonFinite count_non_finite(const Array& array, ToFloat to_float) {
  NonFinite result;
  const auto values = array.values<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(to_float(values[i]))) continue;
    if (result.count++ == 0) result.first = static_cast<std::int64_t>(i);
  }
  return result;
}

}  // namespace

InputKind kind_of(const TensorInfo& tensor) {
  if (is_floating(tensor.dtype) || (is_integer(tensor.dtype) && tensor.quantization.quantized())) return InputKind::kReal;
  if (is_integer(tensor.dtype)) return InputKind::kInteger;
  return tensor.dtype == DType::kBool ? InputKind::kBool : InputKind::kOther;
}

InputSpec input_spec(const TensorInfo& tensor, std::size_t position) {
  const bool dynamic = tensor.shape_signature.size() == as_size(tensor.shape.rank());
  const auto stored = tensor.shape.dims();
  return {tensor.name, fmt::format("input {} '{}'", position, printable(tensor.name)), tensor.dtype,
          dynamic ? tensor.shape_signature : std::vector<std::int64_t>(stored.begin(), stored.end()), tensor.has_rank};
}

InputSpec input_spec(const Model& model, std::size_t position) {
  const int index = model.main().inputs[position];
  InputSpec spec = input_spec(model.main().tensors[as_size(index)], position);
  spec.alias = signature_name(model, index);
  return spec;
}

std::vector<InputSpec> input_specs(const Model& model) {
  std::vector<InputSpec> specs;
  for (std::size_t i = 0; i < model.main().inputs.size(); ++i) specs.push_back(input_spec(model, i));
  return specs;
}

Result<Shape> fit_shape(const InputSpec& input, const Shape& found, const std::string& place) {
  const std::span<const std::int64_t> dims = found.dims();
  if (!input.has_rank || fits(input.dims, dims)) return found;
  if (!dims.empty() && dims[0] == 1 && fits(input.dims, dims.subspan(1))) return Shape(dims.subspan(1));
  std::vector<std::int64_t> batched{1};
  batched.insert(batched.end(), dims.begin(), dims.end());
  if (fits(input.dims, batched)) return Shape(std::move(batched));
  return bad_input("{}: shape {}, expected {}{}", place, to_string(found), to_string(Shape(input.dims)), shape_advice(input.dims, dims));
}

Status check_type(const InputSpec& input, DType found, const std::string& place) {
  const bool alone = stands_alone(found) || stands_alone(input.dtype);
  if (!alone || found == input.dtype) return {};
  return bad_input("{}: type {}, expected {}", place, name(found), name(input.dtype));
}

Result<std::int64_t> check_size(DType dtype, const Shape& shape, const std::string& place) {
  const auto elements = checked_elements(shape.dims());
  const std::size_t element = dtype == DType::kString ? sizeof(std::string) : size_of(dtype);
  const auto bytes = elements ? checked_mul(*elements, static_cast<std::int64_t>(element)) : std::nullopt;
  if (bytes && *bytes <= limits().input) return *bytes;
  return bad_input("{}: shape {} of {} exceeds the limit of {}; --max-input allows more", place, to_string(shape), name(dtype),
                   memory_size(static_cast<std::uint64_t>(limits().input)));
}

void remark_non_finite(const Array& array, const std::string& place, Record& record) {
  NonFinite found;
  switch (array.dtype) {
    case DType::kFloat32:
      if (all_finite(array.values<float>())) return;
      found = count_non_finite<float>(array, [](float v) { return v; });
      break;
    case DType::kFloat64:
      found = count_non_finite<double>(array, [](double v) { return static_cast<float>(v); });
      break;
    case DType::kFloat16:
      found = count_non_finite<Half>(array, [](Half v) { return static_cast<float>(v); });
      break;
    default:
      return;
  }
  if (found.count == 1) record.remarks.push_back(fmt::format("{}: 1 non-finite element, at {}", place, found.first));
  if (found.count > 1) record.remarks.push_back(fmt::format("{}: {} non-finite elements, first at {}", place, found.count, found.first));
}

}  // namespace visq::data
