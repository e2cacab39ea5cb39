#include "kernels/fixed_point/output_stage.h"

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "core/repeated.h"
#include "kernels/fixed_point/integer_arithmetic.h"

namespace visq::kernels {
namespace {

constexpr double kLowestStep = std::numeric_limits<std::int32_t>::min(), kLargestStep = std::numeric_limits<std::int32_t>::max();

/// zero point + bound / scale, which LiteRT computes in float32.
Result<std::int32_t> on_grid(const PrepareContext& context, StoredGrid grid, float bound) {
  const double steps = static_cast<double>(std::round(bound / static_cast<float>(grid.scale))) + grid.zero_point;
  if (!(steps >= kLowestStep && steps <= kLargestStep)) {
    return context.unsupported("activation bound {} is beyond int32 on the output's scale {}", bound, grid.scale);
  }
  return static_cast<std::int32_t>(steps);
}

template <class Sum, class Out>
void scale_in_real(const Sum* sums, const Sum* bias, const std::vector<double>& factors, std::int32_t zero_point, StoredRange range,
                   std::int64_t pixels, Out* out) {
  for (std::int64_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < factors.size(); ++c) {
      const Sum sum = wrapping_add(*sums++, bias[c]);
      const std::int32_t scaled = wrapping_add(to_int32(std::round(static_cast<double>(sum) * factors[c])), zero_point);
      *out++ = static_cast<Out>(std::min(std::max(scaled, range.low), range.high));
    }
  }
}

template <class Sum, class Out>
VISQ_CPU_CLONES void scale_in_fixed_point(const Sum* __restrict sums, const Sum* __restrict bias, const Multiplier* __restrict multipliers,
                                          std::size_t count, std::int32_t zero_point, StoredRange range, Out* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t scaled = wrapping_add(multiply(wrapping_add(sums[i], bias[i]), multipliers[i]), zero_point);
    out[i] = static_cast<Out>(std::min(std::max(scaled, range.low), range.high));
  }
}

/// Pixels that are finished together: a loop over few channels would hardly fill a vector.
std::size_t pixels_together(std::size_t channels) {
  constexpr std::size_t kElements = 512;
  return std::max<std::size_t>(1, kElements / std::max<std::size_t>(1, channels));
}

}  // namespace

Result<StoredRange> stored_range(const PrepareContext& context, const Tensor& output, Activation activation) {
  const IntegerRange type = integer_range(output.info->dtype);
  StoredRange range{static_cast<std::int32_t>(type.low), static_cast<std::int32_t>(type.high)};
  const backend::Clamp clamp = clamp_of(activation);
  if (std::isfinite(clamp.low)) {
    VISQ_ASSIGN(const std::int32_t low, on_grid(context, stored_grid(output), clamp.low));
    range.low = std::max(range.low, low);
  }
  if (std::isfinite(clamp.high)) {
    VISQ_ASSIGN(const std::int32_t high, on_grid(context, stored_grid(output), clamp.high));
    range.high = std::min(range.high, high);
  }
  return range;
}

template <class Sum>
OutputStage<Sum>::OutputStage(Scaling scaling, std::span<const double> factors, std::int32_t zero_point, StoredRange range)
    : scaling_(scaling), channels_(factors.size()), zero_point_(zero_point), range_(range) {
  if (scaling == Scaling::kReal) {
    factors_.assign(factors.begin(), factors.end());
  } else {
    std::vector<Multiplier> multipliers;
    std::transform(factors.begin(), factors.end(), std::back_inserter(multipliers), to_multiplier);
    multipliers_ = repeated(std::span<const Multiplier>(multipliers), pixels_together(channels_));
  }
}

template <class Sum>
template <class Out>
void OutputStage<Sum>::run(const Sum* sums, const Sum* bias, std::int64_t pixels, Out* out) const {
  if (scaling_ == Scaling::kReal) return scale_in_real(sums, bias, factors_, zero_point_, range_, pixels, out);
  const std::size_t elements = as_size(pixels) * channels_, together = multipliers_.size();
  const auto biases = repeated(std::span(bias, channels_), std::min(together, elements) / std::max<std::size_t>(1, channels_));
  for (std::size_t first = 0; first < elements; first += together) {
    scale_in_fixed_point(sums + first, biases.data(), multipliers_.data(), std::min(together, elements - first), zero_point_, range_,
                         out + first);
  }
}

template class OutputStage<std::int32_t>;
template class OutputStage<std::int64_t>;
template void OutputStage<std::int32_t>::run(const std::int32_t*, const std::int32_t*, std::int64_t, std::int8_t*) const;
template void OutputStage<std::int32_t>::run(const std::int32_t*, const std::int32_t*, std::int64_t, std::uint8_t*) const;
template void OutputStage<std::int32_t>::run(const std::int32_t*, const std::int32_t*, std::int64_t, std::int16_t*) const;
template void OutputStage<std::int64_t>::run(const std::int64_t*, const std::int64_t*, std::int64_t, std::int16_t*) const;

}  // namespace visq::kernels
