// Operands of integer sums of products: stored integers relative to their zero point, scales of the weights, the bias.
#pragma once

#include <vector>

#include "core/as_size.h"
#include "kernels/convolution/bias.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Stored types that center() reads; types below 8 bits stand unpacked in int8.
inline constexpr DTypes kCentered = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt4, DType::kInt2};

/// centered[i] = element first + i of a tensor of one of the types, minus the zero point.
void center(const Tensor& tensor, std::int32_t zero_point, std::int64_t first, std::int64_t count, std::int16_t* centered);

/// The zero point of a tensor with one scale, such that center() does not leave int16.
Result<std::int32_t> centering_zero_point(const PrepareContext& context, const Tensor& tensor, std::string_view role);

/// One scale per channel of a tensor with one scale, or one for each of `channels` along `axis`. Errors: other scales; negative ones.
Result<std::vector<double>> channel_scales(const PrepareContext& context, const Tensor& tensor, std::string_view role, int axis,
                                           std::int64_t channels);

/// An int32 or int64 bias as sums take it; zeros where the tensor is null.
template <class Sum>
std::vector<Sum> stored_bias(const Tensor* bias, std::int64_t channels) {
  std::vector<Sum> values(as_size(channels), 0);
  if (bias == nullptr) return values;
  for (std::size_t c = 0; c < values.size(); ++c) {
    values[c] = static_cast<Sum>(bias->dtype == DType::kInt64 ? bias->values<std::int64_t>()[c] : bias->values<std::int32_t>()[c]);
  }
  return values;
}

}  // namespace visq::kernels
