// The last step of integer sums of products: from int32 or int64 sums to the output's stored integers, channel by channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/activation.h"
#include "kernels/math/fixed_point.h"
#include "kernels/op.h"
#include "kernels/stored.h"

namespace visq::kernels {

/// What an activation lets through on the grid of an output of type int8, uint8 or int16. TANH and SIGN_BIT limit nothing, as in TFLite's
/// kernels. Errors: bounds that are beyond int32 on the grid.
Result<StoredRange> stored_range(const PrepareContext& context, const Tensor& output, Activation activation);

/// How sums are brought to the output's grid.
enum class Scaling : std::uint8_t {
  kFixedPoint,  ///< by a fixed-point multiplier: two roundings for int32 sums, one for int64 sums
  kReal,        ///< by a float64 factor, rounded half away from zero (FULLY_CONNECTED)
};

/// Sum is int32 or int64.
template <class Sum>
class OutputStage {
 public:
  /// `factors`: input scale * filter scale / output scale, one per channel.
  OutputStage(Scaling scaling, std::span<const double> factors, std::int32_t zero_point, StoredRange range);

  std::size_t channels() const { return channels_; }
  /// out[p, c] = clamp(scaled(sums[p, c] + bias[c]) + zero point). Sums wrap around.
  /// Out: int8, uint8 or int16.
  template <class Out>
  void run(const Sum* sums, const Sum* bias, std::int64_t pixels, Out* out) const;

 private:
  Scaling scaling_;
  std::size_t channels_;
  std::int32_t zero_point_;
  StoredRange range_;
  std::vector<double> factors_;          ///< kReal
  std::vector<Multiplier> multipliers_;  ///< kFixedPoint, of several pixels
};

extern template class OutputStage<std::int32_t>;
extern template class OutputStage<std::int64_t>;

}  // namespace visq::kernels
