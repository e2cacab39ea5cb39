// MUL, DIV on stored integers.
#include <bit>

#include "kernels/elementwise/stored_elementwise.h"
#include "kernels/fixed_point/fixed_point_functions.h"
#include "kernels/fixed_point/output_stage.h"

namespace visq::kernels::integer_mul_div {
namespace {

template <class T>
struct Product {
  std::int32_t first_zero, second_zero;
  Requantization requantize;
  T operator()(T a, T b) const { return static_cast<T>(requantize((a - first_zero) * (b - second_zero))); }
};

/// int16 on grids of 2^-15 to 8 bits on a grid of 2^-7, whatever the scales are said to be.
template <class Out>
struct ShortProduct {
  std::int32_t zero_point;
  StoredRange range;
  Out operator()(std::int16_t a, std::int16_t b) const {
    return static_cast<Out>(std::clamp(rounding_shift(short_high_product(a, b), 8) + zero_point, range.low, range.high));
  }
};

Result<std::unique_ptr<Kernel>> prepare_mul(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 2));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const StoredRange range, stored_range(context, context.output(0), activation));
  const DType to = context.output(0).dtype;
  if (context.input(0).dtype == DType::kInt16 && to != DType::kInt16) {
    return for_dtype(context, to, StoredBytes(), [&]<class T>(std::type_identity<T>) {
      return stored_zip<std::int16_t, T>(context, ShortProduct<T>{stored_grid(context.output(0)).zero_point, range});
    });
  }
  const StoredGrid first = stored_grid(context.input(0)), second = stored_grid(context.input(1)), out = stored_grid(context.output(0));
  // In float32, as LiteRT does.
  const float factor = static_cast<float>(first.scale) * static_cast<float>(second.scale) / static_cast<float>(out.scale);
  return for_type(context, 0, StoredTypes(), [&]<class T>(std::type_identity<T>) {
    return stored_zip<T, T>(
        context, Product<T>{first.zero_point, second.zero_point, {to_multiplier(static_cast<double>(factor)), out.zero_point, range}});
  });
}

/// The reciprocal of a divisor's magnitude.
struct Divisor {
  std::int32_t inverse = 0;
  int exponent = 0;
  bool negative = false;
};

struct ToDivisor {
  std::int32_t zero_point = 0;
  Divisor operator()(std::int32_t q) const {
    const std::int32_t steps = q - zero_point;
    if (steps == 0) return {};
    const Reciprocal r = reciprocal(static_cast<std::uint32_t>(std::abs(steps)), 31);
    return {r.inverse, r.exponent, steps < 0};
  }
};

template <class T>
struct Quotient {
  std::int32_t first_zero;
  Tabulated<T, Divisor, ToDivisor> divisor;
  Multiplier multiplier;
  std::int32_t out_zero;
  StoredRange range;

  T operator()(T a, T b) const {
    const Divisor by = divisor(b);
    const std::int32_t steps = by.negative ? first_zero - a : a - first_zero;
    const int room =
        steps < 0 ? std::countl_zero(~static_cast<std::uint32_t>(steps)) - 1 : std::countl_zero(static_cast<std::uint32_t>(steps)) - 1;
    const auto widened = static_cast<std::int32_t>(static_cast<std::uint32_t>(steps) << room);
    const std::int32_t quotient = doubling_high_product(doubling_high_product(widened, by.inverse), multiplier.fraction);
    const int shift = by.exponent + room - multiplier.exponent;
    const std::int32_t scaled = unchecked_rounding_shift(quotient, shift);
    return static_cast<T>(std::clamp<std::int64_t>(std::int64_t{scaled} + out_zero, range.low, range.high));
  }
};

template <class T>
std::unique_ptr<Kernel> refusing_zero_steps(const PrepareContext& context, std::int32_t zero_point, std::unique_ptr<Kernel> kernel) {
  return make_kernel(
      [zero_point, place = context.place(), inner = std::shared_ptr<Kernel>(std::move(kernel))](EvalContext& eval) -> Status {
        const auto divisors = eval.in<T>(1);
        const auto found = std::find(divisors.begin(), divisors.end(), static_cast<T>(zero_point));
        if (found != divisors.end() && eval.output(0).elements() > 0)
          return bad_input("{}: division by zero, element {} of the divisor", place, found - divisors.begin());
        return inner->eval(eval);
      });
}

Result<std::unique_ptr<Kernel>> prepare_div(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 2));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(const StoredRange range, stored_range(context, context.output(0), activation));
  const StoredGrid first = stored_grid(context.input(0)), second = stored_grid(context.input(1)), out = stored_grid(context.output(0));
  const float factor = static_cast<float>(first.scale) / (static_cast<float>(second.scale) * static_cast<float>(out.scale));
  const Multiplier multiplier = to_multiplier(static_cast<double>(factor));
  return for_type(context, 0, StoredTypes(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    const Tabulated<T, Divisor, ToDivisor> divisor(ToDivisor{second.zero_point});
    VISQ_ASSIGN(auto kernel, (zip_kernel<T, T>(context, Quotient<T>{first.zero_point, divisor, multiplier, out.zero_point, range})));
    return refusing_zero_steps<T>(context, second.zero_point, std::move(kernel));
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "MUL", .prepare = prepare_mul, .types = StoredTypes::dtypes()},
    {.name = "DIV", .prepare = prepare_div, .types = StoredTypes::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_mul_div
