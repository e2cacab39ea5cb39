// Reading indices from data, whatever integer type they have.
#pragma once

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Element `i` of an int16, int32 or int64 tensor.
inline std::int64_t index_value(const Tensor& tensor, std::int64_t i) {
  const auto at = as_size(i);
  if (tensor.dtype == DType::kInt64) return reinterpret_cast<const std::int64_t*>(tensor.data)[at];
  if (tensor.dtype == DType::kInt32) return reinterpret_cast<const std::int32_t*>(tensor.data)[at];
  return reinterpret_cast<const std::int16_t*>(tensor.data)[at];
}

}  // namespace visq::kernels
