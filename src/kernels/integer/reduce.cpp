// SUM, MEAN, REDUCE_PROD on stored integers.
#include <bit>

#include "kernels/element_types.h"
#include "kernels/elementwise/reduction.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_reduce {
namespace {

using Summed = TypeList<std::int8_t, std::uint8_t, std::int16_t>;
using Multiplied = TypeList<std::int8_t, std::int16_t>;

/// int32 sums, which may wrap.
template <class T>
struct SumFold {
  using Total = std::int32_t;
  Total initial() const { return 0; }
  Total operator()(Total total, T value) const { return wrapping_add(total, Total{value}); }
  Total merge(Total a, Total b) const { return wrapping_add(a, b); }
};

/// The multiplier divided by a count, as exactly as 31 bits allow.
Multiplier divided(Multiplier multiplier, std::int64_t count) {
  const int spare = std::min({63 - std::countl_zero(static_cast<std::uint64_t>(count)), 32, 31 + multiplier.exponent});
  return {static_cast<std::int32_t>((std::int64_t{multiplier.fraction} << spare) / count), multiplier.exponent - spare};
}

/// In fixed point.
template <class T>
struct MeanOutput {
  Requantization requantize;
  std::int32_t zero;  ///< what a sum of zeros is
  MeanOutput(const StoredGrid& in, const StoredGrid& out, std::int64_t count)
      : requantize{divided(to_multiplier(in.scale / out.scale), count), out.zero_point, range_of<T>()},
        zero(static_cast<std::int32_t>(modular(std::int64_t{in.zero_point}) * modular(count))) {}
  T operator()(std::int32_t sum) const { return static_cast<T>(requantize(wrapping_subtract(sum, zero))); }
};

/// In float32, as LiteRT's optimized kernel does it: its reference kernel reads all types as uint8.
template <class T>
struct SumOutput {
  float scale, bias;
  std::int32_t zero_point;
  SumOutput(const StoredGrid& in, const StoredGrid& out, std::int64_t count)
      : scale(static_cast<float>(in.scale) / static_cast<float>(out.scale)),
        bias(static_cast<float>(-in.zero_point) * scale * static_cast<float>(count)),
        zero_point(out.zero_point) {}
  T operator()(std::int32_t sum) const {
    return saturate<T>(std::int64_t{to_int32(std::round(static_cast<float>(sum) * scale + bias))} + zero_point);
  }
};

template <class T, class Output>
Result<std::unique_ptr<Kernel>> sum_kernel(PrepareContext& context) {
  VISQ_ASSIGN(auto reduction, Reduction::plan(context, kDTypeOf<T>));
  const std::int64_t count = std::max<std::int64_t>(reduction.folded(), 1);
  const Output output(stored_grid(context.input(0)), stored_grid(context.output(0)), count);
  return make_kernel([reduction = std::move(reduction), output](EvalContext& eval) -> Status {
    const auto out = eval.out<T>(0);
    if (reduction.folded() == 0) {  // nothing to sum up: LiteRT leaves a stored 0
      std::fill(out.begin(), out.end(), T{0});
      return {};
    }
    auto* totals = reinterpret_cast<std::int32_t*>(eval.scratch(out.size() * sizeof(std::int32_t)));
    reduction.template run<true>(eval.in<T>(0).data(), totals, static_cast<std::int64_t>(out.size()), SumFold<T>());
    std::transform(totals, totals + out.size(), out.begin(), output);
    return {};
  });
}

Status expect_reducible(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_grid(context, context.input(0), "the input"));
  return expect_grid(context, context.output(0), "the output");
}

template <template <class> class Output>
Result<std::unique_ptr<Kernel>> prepare_sum(PrepareContext& context) {
  VISQ_TRY(expect_reducible(context));
  return for_type(context, 0, Summed(), [&]<class T>(std::type_identity<T>) { return sum_kernel<T, Output<T>>(context); });
}

/// Each factor is scaled as it comes, so that products stay on a grid; the first starts the product as it is.
template <class T>
struct ProductFold {
  using Total = std::int64_t;
  static constexpr Total kNone = std::numeric_limits<Total>::min();
  std::int32_t zero_point = 0;
  Multiplier multiplier;
  Total initial() const { return kNone; }
  Total operator()(Total total, T value) const {
    const std::int64_t factor = value - zero_point;
    return total == kNone ? factor : multiply(total * factor, multiplier);
  }
};

template <class T>
Result<std::unique_ptr<Kernel>> product_kernel(PrepareContext& context) {
  VISQ_ASSIGN(auto reduction, Reduction::plan(context, kDTypeOf<T>));
  const StoredGrid from = stored_grid(context.input(0)), to = stored_grid(context.output(0));
  const double factor = from.scale / std::pow(to.scale, 1.0 / static_cast<double>(std::max<std::int64_t>(reduction.folded(), 1)));
  const ProductFold<T> fold{from.zero_point, to_multiplier(factor)};
  constexpr int kLargest = 7;  // what LiteRT's 64-bit multiplication takes
  if (fold.multiplier.exponent > kLargest) return context.unsupported("the scales {} and {} are too far apart", from.scale, to.scale);
  return make_kernel([reduction = std::move(reduction), fold, zero_point = to.zero_point](EvalContext& eval) -> Status {
    const auto out = eval.out<T>(0);
    if (reduction.folded() == 0) {
      std::fill(out.begin(), out.end(), T{0});
      return {};
    }
    auto* totals = reinterpret_cast<std::int64_t*>(eval.scratch(out.size() * sizeof(std::int64_t)));
    reduction.run_in_order(eval.in<T>(0).data(), totals, static_cast<std::int64_t>(out.size()), fold);
    std::transform(totals, totals + out.size(), out.begin(),
                   [&](std::int64_t total) { return saturate<T>(std::int64_t{multiply(total, fold.multiplier)} + zero_point); });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_product(PrepareContext& context) {
  VISQ_TRY(expect_reducible(context));
  return for_type(context, 0, Multiplied(), [&]<class T>(std::type_identity<T>) { return product_kernel<T>(context); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "SUM", .prepare = prepare_sum<SumOutput>, .types = Summed::dtypes()},
    {.name = "MEAN", .prepare = prepare_sum<MeanOutput>, .types = Summed::dtypes()},
    {.name = "REDUCE_PROD", .prepare = prepare_product, .types = Multiplied::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_reduce
