#include "model/onnx/sparse_tensor.h"

#include <cstring>
#include <numeric>

#include "core/as_size.h"
#include "core/checked.h"
#include "model/check_constant.h"
#include "model/onnx/fields.h"

namespace visq::loader::onnx {
namespace {

/// The fields of a SparseTensorProto.
struct SparseFields {
  Bytes values, indices;
  std::vector<std::int64_t> dims;
};

SparseFields read_sparse_fields(Bytes message) {
  SparseFields fields;
  for (Message<SparseField> sparse(message); sparse.next();) {
    switch (sparse.field()) {
      case SparseField::kValues:
        fields.values = sparse.bytes();
        break;
      case SparseField::kIndices:
        fields.indices = sparse.bytes();
        break;
      case SparseField::kDims:
        sparse.append_integers(fields.dims);
        break;
      default:
        sparse.skip();
    }
  }
  return fields;
}

/// Where the values stand: numbers of elements in row-major order, or a row of coordinates each.
class Places {
 public:
  Places(const TensorInfo& indices, const Shape& shape) : shape_(shape), linear_(indices.shape.rank() == 1) {
    numbers_.resize(as_size(indices.shape.elements()));
    if (!numbers_.empty()) std::memcpy(numbers_.data(), indices.data.data(), numbers_.size() * sizeof(std::int64_t));
  }
  std::size_t count() const { return linear_ ? numbers_.size() : numbers_.size() / as_size(shape_.rank()); }

  /// Coordinates of a value; false where they lie outside the shape.
  bool coordinates(std::size_t value, std::vector<std::int64_t>& at) const {
    const int rank = shape_.rank();
    if (!linear_) {
      bool inside = true;
      for (int axis = 0; axis < rank; ++axis) {
        at[as_size(axis)] = numbers_[value * as_size(rank) + as_size(axis)];
        inside = inside && at[as_size(axis)] >= 0 && at[as_size(axis)] < shape_[axis];
      }
      return inside;
    }
    std::int64_t rest = numbers_[value];
    if (rest < 0 || rest >= shape_.elements()) return false;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at[as_size(axis)] = rest % shape_[axis];
      rest /= shape_[axis];
    }
    return true;
  }

 private:
  const Shape& shape_;
  bool linear_;
  std::vector<std::int64_t> numbers_;
};

/// Every axis compressed: each differing head of coordinates is an entry below that of the axis before.
Status compress(const Places& places, const Shape& shape, Sparsity& sparsity, const Place& place) {
  const auto rank = as_size(shape.rank());
  sparsity.traversal_order.resize(rank);
  std::iota(sparsity.traversal_order.begin(), sparsity.traversal_order.end(), 0);
  sparsity.dimensions.resize(rank);
  for (SparseDimension& dimension : sparsity.dimensions) dimension.dense = false;
  std::vector<std::int64_t> before(rank), at(rank);
  for (std::size_t value = 0; value < places.count(); ++value) {
    if (!places.coordinates(value, at)) return place.fail("its sparse value {} lies outside the shape {}", value, to_string(shape));
    const auto differs = std::mismatch(at.begin(), at.end(), before.begin());
    const auto first = value == 0 ? 0 : static_cast<std::size_t>(differs.first - at.begin());
    if (value > 0 && (first == rank || *differs.first < *differs.second)) {
      return place.fail("its sparse value {} does not stand behind the one before", value);
    }
    for (std::size_t axis = first; axis < rank; ++axis) {
      SparseDimension& dimension = sparsity.dimensions[axis];
      if (axis > first || value == 0) dimension.segments.push_back(static_cast<std::int64_t>(dimension.indices.size()));
      dimension.indices.push_back(at[axis]);
    }
    before = at;
  }
  for (SparseDimension& dimension : sparsity.dimensions) dimension.segments.push_back(static_cast<std::int64_t>(dimension.indices.size()));
  if (places.count() == 0) sparsity.dimensions.front().segments = {0, 0};
  return {};
}

Status check_indices(const TensorInfo& indices, const TensorInfo& tensor, const Place& place) {
  const bool pairs = indices.shape.rank() == 2 && indices.shape[1] == tensor.shape.rank();
  if (indices.dtype == DType::kInt64 && (indices.shape.rank() == 1 || pairs)) return {};
  return place.fail("has sparse indices of type {} and shape {} for the shape {}", name(indices.dtype), to_string(indices.shape),
                    to_string(tensor.shape));
}

}  // namespace

std::string sparse_name(Bytes message) { return tensor_name(read_sparse_fields(message).values); }

Status read_sparse(Bytes message, TensorInfo& tensor, ConstantStore& store, const Place& place) {
  SparseFields fields = read_sparse_fields(message);
  TensorInfo indices;
  VISQ_TRY(read_constant(fields.values, tensor, store, place));
  VISQ_TRY(read_constant(fields.indices, indices, store, place));
  VISQ_TRY(check_constant(indices, place));
  if (bits(tensor.dtype) < 8) return place.fail("is sparse and of type {}, which is not read", name(tensor.dtype));
  const std::int64_t stored = tensor.shape.elements();
  tensor.shape = Shape(std::move(fields.dims));
  if (tensor.shape.rank() == 0 || !checked_elements(tensor.shape.dims())) {
    return place.fail("shape {} is negative, too large, or has no axes", to_string(tensor.shape));
  }
  VISQ_TRY(check_indices(indices, tensor, place));
  const Places places(indices, tensor.shape);
  if (static_cast<std::int64_t>(places.count()) != stored) return place.fail("has {} sparse values at {} places", stored, places.count());
  VISQ_TRY(store.claim_copy(stored * 2 * tensor.shape.rank(), place));
  auto sparsity = std::make_shared<Sparsity>();
  VISQ_TRY(compress(places, tensor.shape, *sparsity, place));
  tensor.sparsity = std::move(sparsity);
  return {};
}

}  // namespace visq::loader::onnx
