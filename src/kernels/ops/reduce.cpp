// SUM, MEAN, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL. Floats are summed and multiplied in double.
#include <limits>

#include "kernels/element_types.h"
#include "kernels/integer_arithmetic.h"
#include "kernels/reduction.h"
#include "kernels/stored.h"

namespace visq::kernels {
namespace {

/// What sums and products are collected in.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <class T>
struct SumFold {
  using Total = Wide<T>;
  Total initial() const { return 0; }
  Total operator()(Total total, T value) const { return wrapping_add(total, static_cast<Total>(value)); }
  Total merge(Total a, Total b) const { return wrapping_add(a, b); }
  T finish(Total total, std::int64_t) const { return static_cast<T>(total); }
};

template <class T>
struct MeanFold : SumFold<T> {
  T finish(Wide<T> total, std::int64_t count) const {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(total / static_cast<double>(count));
    else
      return static_cast<T>(count == 0 ? 0 : total / count);
  }
};

template <class T>
struct ProductFold {
  using Total = Wide<T>;
  Total initial() const { return 1; }
  Total operator()(Total total, T value) const { return wrapping_multiply(total, static_cast<Total>(value)); }
  Total merge(Total a, Total b) const { return wrapping_multiply(a, b); }
  T finish(Total total, std::int64_t) const { return static_cast<T>(total); }
};

/// The larger one; NaN wins.
template <class T>
struct MaxFold {
  using Total = T;
  Total initial() const {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
  Total operator()(Total total, T value) const { return value > total || value != value ? value : total; }
  Total merge(Total a, Total b) const { return (*this)(a, b); }
  T finish(Total total, std::int64_t) const { return total; }
};
template <class T>
struct MinFold {
  using Total = T;
  Total initial() const {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  Total operator()(Total total, T value) const { return value < total || value != value ? value : total; }
  Total merge(Total a, Total b) const { return (*this)(a, b); }
  T finish(Total total, std::int64_t) const { return total; }
};

template <class T>
struct AnyFold {
  using Total = T;
  Total initial() const { return false; }
  Total operator()(Total total, T value) const { return total || value; }
  Total merge(Total a, Total b) const { return a || b; }
  T finish(Total total, std::int64_t) const { return total; }
};
template <class T>
struct AllFold {
  using Total = T;
  Total initial() const { return true; }
  Total operator()(Total total, T value) const { return total && value; }
  Total merge(Total a, Total b) const { return a && b; }
  T finish(Total total, std::int64_t) const { return total; }
};

template <class T, class Fold>
Result<std::unique_ptr<Kernel>> reduce_kernel(PrepareContext& context) {
  VISQ_ASSIGN(auto reduction, Reduction::plan(context, kDTypeOf<T>));
  return make_kernel([reduction = std::move(reduction)](EvalContext& eval) -> Status {
    using Total = typename Fold::Total;
    const auto out = eval.out<T>(0);
    auto* totals = reinterpret_cast<Total*>(eval.scratch(out.size() * sizeof(Total)));
    reduction.run(eval.in<T>(0).data(), totals, eval.output(0).elements(), Fold());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Fold().finish(totals[i], reduction.folded());
    return {};
  });
}

template <template <class> class Fold, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_same_grid(context, context.input(0), "the input", context.output(0)));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) { return reduce_kernel<T, Fold<T>>(context); });
}

using Numbers = TypeList<float, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
using Logical = TypeList<Bool>;

constexpr OpDef kDefinitions[] = {
    {.name = "SUM", .prepare = prepare<SumFold, Numbers>, .types = Numbers::dtypes()},
    {.name = "MEAN", .prepare = prepare<MeanFold, Numbers>, .types = Numbers::dtypes()},
    {.name = "REDUCE_PROD", .prepare = prepare<ProductFold, Numbers>, .types = Numbers::dtypes()},
    {.name = "REDUCE_MAX", .prepare = prepare<MaxFold, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "REDUCE_MIN", .prepare = prepare<MinFold, Numbers>, .types = Numbers::dtypes(), .takes_stored = true},
    {.name = "REDUCE_ANY", .prepare = prepare<AnyFold, Logical>, .types = Logical::dtypes()},
    {.name = "REDUCE_ALL", .prepare = prepare<AllFold, Logical>, .types = Logical::dtypes()},
};

}  // namespace

std::span<const OpDef> ops_reduce() { return kDefinitions; }

}  // namespace visq::kernels
