// HARD_SWISH on stored integers: x * relu6(x + 3) / 6 in 16-bit fixed point.
#include "kernels/elementwise/stored_elementwise.h"
#include "kernels/fixed_point/fixed_point_functions.h"

namespace visq::kernels::integer_hard_swish {
namespace {

/// A multiplier with a fraction of 16 bits.
struct ShortMultiplier {
  std::int16_t fraction = 0;
  int exponent = 0;
};

ShortMultiplier to_short(float factor) {
  constexpr std::int32_t kHalf = 1 << 15, kLargest = std::numeric_limits<std::int32_t>::max();
  const Multiplier multiplier = to_multiplier(static_cast<double>(factor));
  const std::int32_t fraction = multiplier.fraction >= kLargest - kHalf ? 32767 : (multiplier.fraction + kHalf) >> 16;
  return {static_cast<std::int16_t>(fraction), multiplier.exponent};
}

std::int32_t saturated(std::int64_t value) { return saturate<std::int16_t>(value); }

template <class T>
struct HardSwish {
  StoredGrid in, out;
  ShortMultiplier to_output, to_thirds;  ///< from 128ths of the input's steps to the output's, and to 3 * 2^-15

  T operator()(T q) const {
    const std::int32_t fine = (q - in.zero_point) * 128;
    const std::int32_t weight = (relu_part(fine) + (1 << 15)) >> 1;  // (x + 3) / 6, clamped, with 15 bits
    const std::int32_t product = weight * short_high_product(fine, to_output.fraction) / (1 << 15);
    return saturate<T>(saturated(rounding_shift(product, -to_output.exponent)) + out.zero_point);
  }

 private:
  /// x / 3, saturated: a shift to the left is done in two parts, so that only the last one may saturate what it should.
  std::int32_t relu_part(std::int32_t fine) const {
    constexpr int kLongest = 31;  // saturates whatever is not 0
    const int left = std::clamp(to_thirds.exponent, 0, kLongest), right = std::max(-to_thirds.exponent, 0);
    if (left > 0) fine = saturated(std::int64_t{fine} << (left - 1));
    const std::int32_t third = short_high_product(fine, to_thirds.fraction);
    return left > 0 ? saturated(std::int64_t{third} * 2) : rounding_shift(third, right);
  }
};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  const float fine_scale = 1.0F / 128.0F * static_cast<float>(in.scale);
  const ShortMultiplier to_output = to_short(fine_scale / static_cast<float>(out.scale));
  const ShortMultiplier to_thirds = to_short(fine_scale / (3.0F / 32768.0F));
  if (to_output.exponent > 0)
    return context.unsupported("the output's scale {} is too small for an input of scale {}", out.scale, in.scale);
  return for_type(context, 0, StoredBytes(), [&]<class T>(std::type_identity<T>) {
    return stored_map<T>(context, HardSwish<T>{in, out, to_output, to_thirds});
  });
}

constexpr OpDef kDefinitions[] = {{.name = "HARD_SWISH", .prepare = prepare, .types = StoredBytes::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_hard_swish
