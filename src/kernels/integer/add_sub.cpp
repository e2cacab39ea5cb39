// ADD, SUB, SQUARED_DIFFERENCE on stored integers: both inputs go to one grid finer than theirs, the result from there to the output's.
#include "kernels/elementwise/stored_elementwise.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/fixed_point/output_stage.h"

namespace visq::kernels::integer_add_sub {
namespace {

/// a + b or a - b: one loop for both, which is long where it is unrolled for three instruction sets.
struct Sum {
  std::int32_t negation;  ///< of b: 0, or -1
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return wrapping_add(a, wrapping_subtract(b ^ negation, negation)); }
};
constexpr Sum kAdd{0}, kSubtract{-1};

struct SquaredDifference {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t difference = wrapping_subtract(a, b);
    return wrapping_multiply(difference, difference);
  }
};

template <class T, class Function>
struct Combined {
  Function combine;
  OnFinerGrid first, second;
  Requantization requantize;
  T operator()(T a, T b) const { return static_cast<T>(requantize(combine(first(a), second(b)))); }
};

/// The grid on which the operands meet is finer than twice the larger scale by 2^shift.
template <class T, class Function>
Result<std::unique_ptr<Kernel>> combining_kernel(PrepareContext& context, Function combine, int shift, double scale_of_result,
                                                 StoredRange range) {
  const StoredGrid first = stored_grid(context.input(0)), second = stored_grid(context.input(1)), out = stored_grid(context.output(0));
  const double common = 2 * std::max(first.scale, second.scale);
  const auto operand = [&](const StoredGrid& grid) { return OnFinerGrid{grid.zero_point, shift, to_multiplier(grid.scale / common)}; };
  const Requantization requantize{to_multiplier(scale_of_result / out.scale), out.zero_point, range};
  return stored_zip<T, T>(context, Combined<T, Function>{combine, operand(first), operand(second), requantize});
}

/// int16 whose scales are powers of two: the coarser grid is the output's, and the finer input is shifted to it.
struct Shifted {
  Sum combine;
  int first, second;
  StoredRange range;
  std::int16_t operator()(std::int16_t a, std::int16_t b) const {
    const std::int32_t result = combine(rounding_shift(a, first), rounding_shift(b, second));
    return static_cast<std::int16_t>(std::clamp(result, range.low, range.high));
  }
};

/// Exponents of three scales that are powers of two.
struct Exponents {
  int first, second, out;
};

std::optional<Exponents> power_of_two_scales(const PrepareContext& context) {
  if (context.input(0).dtype != DType::kInt16 || !context.attributes().flag("pot_scale_int16", true)) return std::nullopt;
  const auto exponent = [](const Tensor& tensor) { return near_power_of_two(tensor.info->quantization.scale[0]); };
  const auto first = exponent(context.input(0)), second = exponent(context.input(1)), out = exponent(context.output(0));
  if (!first || !second || !out) return std::nullopt;
  return Exponents{*first, *second, *out};
}

Result<std::unique_ptr<Kernel>> shifting_kernel(PrepareContext& context, Sum combine, const Exponents& exponents, StoredRange range) {
  constexpr int kLongest = 31;
  const int first = exponents.out - exponents.first, second = exponents.out - exponents.second;
  if (first < 0 || second < 0 || (first > 0 && second > 0)) {
    return context.unsupported("int16 with the scales 2^{} and 2^{} for an output of scale 2^{}", exponents.first, exponents.second,
                               exponents.out);
  }
  return stored_zip<std::int16_t, std::int16_t>(context, Shifted{combine, std::min(first, kLongest), std::min(second, kLongest), range});
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context, Sum combine) {
  VISQ_TRY(expect_grids(context, 2));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const StoredRange range, stored_range(context, context.output(0), activation));
  const auto exponents = power_of_two_scales(context);
  if (exponents) return shifting_kernel(context, combine, *exponents, range);
  return for_type(context, 0, StoredTypes(), [&]<class T>(std::type_identity<T>) {
    constexpr int kShift = sizeof(T) == 1 ? 20 : 15;  // what int32 holds
    const double common = 2 * std::max(stored_grid(context.input(0)).scale, stored_grid(context.input(1)).scale);
    return combining_kernel<T>(context, combine, kShift, std::ldexp(common, -kShift), range);
  });
}

Result<std::unique_ptr<Kernel>> prepare_add(PrepareContext& context) { return prepare(context, kAdd); }
Result<std::unique_ptr<Kernel>> prepare_sub(PrepareContext& context) { return prepare(context, kSubtract); }

Result<std::unique_ptr<Kernel>> prepare_squared_difference(PrepareContext& context) {
  constexpr int kShift = 7;  // a square of 16 bits, shifted by 14, fits into int32
  VISQ_TRY(expect_grids(context, 2));
  const double common = 2 * std::max(stored_grid(context.input(0)).scale, stored_grid(context.input(1)).scale);
  return combining_kernel<std::int8_t>(context, SquaredDifference(), kShift, std::ldexp(common * common, -2 * kShift),
                                       range_of<std::int8_t>());
}

constexpr OpDef kDefinitions[] = {
    {.name = "ADD", .prepare = prepare_add, .types = StoredTypes::dtypes()},
    {.name = "SUB", .prepare = prepare_sub, .types = StoredTypes::dtypes()},
    {.name = "SQUARED_DIFFERENCE", .prepare = prepare_squared_difference, .types = {DType::kInt8}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_add_sub
