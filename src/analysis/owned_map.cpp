#include "analysis/owned_map.h"

#include "core/error.h"

namespace visq::analysis {

Result<Array> copy_map(const runtime::Executor& executor, int tensor) {
  const kernels::Tensor& map = executor.tensor(tensor);
  if (map.dtype == DType::kResource || map.dtype == DType::kVariant) {
    return bad_input("'{}' is a {}, which no data can hold", map.info->name, name(map.dtype));
  }
  if (!executor.available(tensor) || (map.data == nullptr && map.strings == nullptr)) {
    return unsupported("'{}' was not computed", map.info->name);
  }
  if (map.strings != nullptr) return Array{map.dtype, map.shape, {}, *map.strings};
  Array array{map.dtype, map.shape, {}, {}};
  array.bytes.assign(map.data, map.data + static_cast<std::size_t>(map.elements()) * size_of(map.dtype));
  return array;
}

FeatureMap feature_map(const Array& array, const TensorInfo& info, int tensor) {
  return {tensor, &info, array.dtype, array.shape, array.bytes.data(), array.strings};
}

}  // namespace visq::analysis
