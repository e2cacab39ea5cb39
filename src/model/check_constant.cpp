#include "model/check_constant.h"

#include <cstring>

#include "core/as_size.h"
#include "core/checked.h"

namespace visq::loader {
namespace {

/// Elements and bytes per block of circle's block-quantized types (ggml's block_q4_0 … block_q8_1: float16 scale, for *_1 and Q8_1
/// a second float16, then the values).
constexpr std::int64_t kGgmlBlock = 32;
std::int64_t ggml_block_bytes(DType type) {
  switch (type) {
    case DType::kGgmlQ4_0:
      return 18;
    case DType::kGgmlQ4_1:
      return 20;
    case DType::kGgmlQ8_0:
      return 34;
    case DType::kGgmlQ8_1:
      return 36;
    default:
      return 0;
  }
}

std::int32_t load_int32(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return value;
}

/// Requires the bytes that the elements take. Files in the wild hold more where a shape was edited; what is too much is cut off, but
/// for blockwise constants, whose rows may be padded.
Status fit_size(TensorInfo& tensor, std::int64_t elements, std::optional<std::int64_t> expected, const Place& place) {
  const auto size = static_cast<std::int64_t>(tensor.data.size());
  if (!expected || *expected > size) {
    return place.fail("constant has {} bytes, {} elements of {} take {}", size, elements, name(tensor.dtype),
                      expected ? std::to_string(*expected) : "too many");
  }
  if (tensor.quantization.block_size == 0) tensor.data = tensor.data.first(as_size(*expected));
  return {};
}

/// LiteRT's layout: int32 count, int32 offsets of count strings and of the end, then the characters.
Status check_strings(const TensorInfo& tensor, const Place& place) {
  const auto size = static_cast<std::int64_t>(tensor.data.size());
  const std::int64_t count = size >= 4 ? load_int32(tensor.data, 0) : -1;
  const std::int64_t header = 4 * (count + 2);
  if (count < 0 || header > size) return place.fail("string constant of {} bytes has no room for its {} offsets", size, count);
  if (count != tensor.shape.elements()) {
    return place.fail("has {} strings, the shape {} needs {}", count, to_string(tensor.shape), tensor.shape.elements());
  }
  std::int64_t last = header;
  for (std::int64_t i = 0; i <= count; ++i) {
    const std::int64_t offset = load_int32(tensor.data, as_size(1 + i));
    if (offset < last || offset > size) return place.fail("string {} starts at byte {}, outside {} to {}", i, offset, last, size);
    last = offset;
  }
  return {};
}

Status check_ggml(TensorInfo& tensor, const Place& place) {
  const std::int64_t elements = tensor.shape.elements();
  if (elements % kGgmlBlock != 0) return place.fail("has {} elements, no whole number of {} blocks", elements, name(tensor.dtype));
  return fit_size(tensor, elements, checked_mul(elements / kGgmlBlock, ggml_block_bytes(tensor.dtype)), place);
}

/// Size of each dimension of the blocked tensor: the shape's axes divided by their block sizes, then the block sizes.
Result<std::vector<std::int64_t>> blocked_sizes(const TensorInfo& tensor, const Place& place) {
  const Sparsity& sparsity = *tensor.sparsity;
  const std::size_t rank = tensor.shape.dims().size();
  const std::size_t dimensions = rank + sparsity.block_map.size();
  if (dimensions > 2 * as_size(kMostAxes)) return place.fail("sparsity has {} dimensions, more than {}", dimensions, 2 * kMostAxes);
  if (sparsity.traversal_order.size() != dimensions || sparsity.dimensions.size() != dimensions) {
    return place.fail("sparsity has {} axes and {} dimensions, expected {}", sparsity.traversal_order.size(), sparsity.dimensions.size(),
                      dimensions);
  }
  std::vector<int> level_of(dimensions, -1);
  for (std::size_t level = 0; level < dimensions; ++level) {
    const int axis = sparsity.traversal_order[level];
    if (axis < 0 || as_size(axis) >= dimensions || level_of[as_size(axis)] >= 0) {
      return place.fail("sparsity traverses axis {} of {} out of range or twice", axis, dimensions);
    }
    level_of[as_size(axis)] = static_cast<int>(level);
  }
  std::vector<std::int64_t> sizes(tensor.shape.dims().begin(), tensor.shape.dims().end());
  for (std::size_t block = 0; block < sparsity.block_map.size(); ++block) {
    const SparseDimension& dimension = sparsity.dimensions[as_size(level_of[rank + block])];
    const int axis = sparsity.block_map[block];
    if (axis < 0 || as_size(axis) >= rank) return place.fail("sparsity has blocks along axis {}, but the rank is {}", axis, rank);
    std::int64_t& size = sizes[as_size(axis)];
    if (!dimension.dense || dimension.dense_size <= 0 || size % dimension.dense_size != 0) {
      return place.fail("sparsity has blocks of {} along axis {} of size {}", dimension.dense_size, axis, size);
    }
    size /= dimension.dense_size;
    sizes.push_back(dimension.dense_size);
  }
  return sizes;
}

/// A compressed dimension below `parents` entries: one segment per parent, ascending, and indices inside the dimension.
Status check_compressed(const SparseDimension& dimension, std::size_t level, std::int64_t parents, std::int64_t size, const Place& place) {
  const auto& segments = dimension.segments;
  const auto stored = static_cast<std::int64_t>(dimension.indices.size());
  if (static_cast<std::int64_t>(segments.size()) - 1 != parents || segments.front() != 0 || segments.back() != stored) {
    return place.fail("sparse dimension {} has {} segments for {} parents and {} indices", level, segments.size(), parents, stored);
  }
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (segments[i] < segments[i - 1]) return place.fail("sparse dimension {} has descending segments", level);
  }
  for (const std::int64_t index : dimension.indices) {
    if (index < 0 || index >= size) return place.fail("sparse dimension {} has index {}, expected 0 to {}", level, index, size - 1);
  }
  return {};
}

Status check_sparse(TensorInfo& tensor, const Place& place) {
  const Sparsity& sparsity = *tensor.sparsity;
  VISQ_ASSIGN(const auto sizes, blocked_sizes(tensor, place));
  std::int64_t entries = 1;
  for (std::size_t level = 0; level < sparsity.dimensions.size(); ++level) {
    const SparseDimension& dimension = sparsity.dimensions[level];
    const std::int64_t size = sizes[as_size(sparsity.traversal_order[level])];
    if (!dimension.dense) {
      VISQ_TRY(check_compressed(dimension, level, entries, size, place));
      entries = static_cast<std::int64_t>(dimension.indices.size());
      continue;
    }
    const auto product = checked_mul(entries, size);
    if (dimension.dense_size != size || !product) {
      return place.fail("sparse dimension {} has size {}, expected {}", level, dimension.dense_size, size);
    }
    entries = *product;
  }
  return fit_size(tensor, entries, checked_bytes(entries, tensor.dtype), place);
}

}  // namespace

Status check_constant(TensorInfo& tensor, const Place& place) {
  switch (tensor.dtype) {
    case DType::kString:
      return tensor.sparsity == nullptr ? check_strings(tensor, place) : place.fail("is a sparse string tensor");
    case DType::kResource:
    case DType::kVariant:
      return place.fail("of type {} cannot be constant", name(tensor.dtype));
    case DType::kMxFp4:
    case DType::kMxInt8:
      return {};  // how files lay these out is not public; nothing reads them
    default:
      break;
  }
  if (ggml_block_bytes(tensor.dtype) != 0) return check_ggml(tensor, place);
  if (tensor.sparsity != nullptr) return check_sparse(tensor, place);
  const std::int64_t elements = tensor.shape.elements();
  return fit_size(tensor, elements, checked_bytes(elements, tensor.dtype), place);
}

}  // namespace visq::loader
