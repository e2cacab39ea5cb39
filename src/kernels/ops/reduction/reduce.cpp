// SUM, MEAN, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY, REDUCE_ALL. Floats are summed and multiplied in double.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/element_types.h"
#include "kernels/elementwise/reduction.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_reduce {
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
};

template <class T>
struct ProductFold {
  using Total = Wide<T>;
  Total initial() const { return 1; }
  Total operator()(Total total, T value) const { return wrapping_multiply(total, static_cast<Total>(value)); }
  Total merge(Total a, Total b) const { return wrapping_multiply(a, b); }
};

/// The larger one. As in LiteRT's reference kernel NaN is passed over, but for a NaN that a reduction of everything starts with.
template <class T>
struct MaxFold {
  using Total = T;
  T start = std::numeric_limits<T>::lowest();
  Total initial() const { return start; }
  Total operator()(Total total, T value) const { return value > total ? value : total; }
  Total merge(Total a, Total b) const { return (*this)(a, b); }
};
template <class T>
struct MinFold {
  using Total = T;
  T start = std::numeric_limits<T>::max();
  Total initial() const { return start; }
  Total operator()(Total total, T value) const { return value < total ? value : total; }
  Total merge(Total a, Total b) const { return (*this)(a, b); }
};

template <class T>
struct AnyFold {
  using Total = T;
  Total initial() const { return false; }
  Total operator()(Total total, T value) const { return total || value; }
  Total merge(Total a, Total b) const { return a || b; }
};
template <class T>
struct AllFold {
  using Total = T;
  Total initial() const { return true; }
  Total operator()(Total total, T value) const { return total && value; }
  Total merge(Total a, Total b) const { return a && b; }
};

// In order, and in float.
struct OrderedSum {
  using Total = float;
  Total initial() const { return 0; }
  Total operator()(Total total, float value) const { return total + value; }
};
struct OrderedProduct : OrderedSum {
  Total initial() const { return 1; }
  Total operator()(Total total, float value) const { return total * value; }
};

// What is made of a total over `count` elements.
struct Whole {
  template <class T, class Total>
  static T of(Total total, std::int64_t) {
    return static_cast<T>(total);
  }
};
struct Mean {
  template <class T, class Total>
  static T of(Total total, std::int64_t count) {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(total / static_cast<Total>(count));
    else
      return static_cast<T>(count == 0 ? 0 : total / count);
  }
};

template <class T, class Fold, class Finish>
void reduce(const Reduction& reduction, EvalContext& eval) {
  using Total = typename Fold::Total;
  const auto in = eval.in<T>(0);
  const auto out = eval.out<T>(0);
  Fold fold;
  if constexpr (requires { fold.start; }) {
    if (reduction.of_everything() && !in.empty()) fold.start = in[0];
  }
  auto* totals = reinterpret_cast<Total*>(eval.scratch(out.size() * sizeof(Total)));
  if constexpr (requires(Total total) { fold.merge(total, total); }) {
    reduction.run<std::is_same_v<T, float>>(in.data(), totals, eval.output(0).elements(), fold);
  } else {
    reduction.run_in_order(in.data(), totals, eval.output(0).elements(), fold);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Finish::template of<T>(totals[i], reduction.folded());
}

struct Choice {
  DType dtype;
  void (*reduce)(const Reduction& reduction, EvalContext& eval);
};

/// By the type of input 0.
Result<std::unique_ptr<Kernel>> reduce_kernel(PrepareContext& context, std::span<const Choice> choices) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const DType dtype = context.input(0).dtype;
  const auto found = std::find_if(choices.begin(), choices.end(), [&](const Choice& choice) { return choice.dtype == dtype; });
  if (found == choices.end()) return context.unsupported("cannot run with {}", name(dtype));
  VISQ_ASSIGN(auto reduction, Reduction::plan(context, dtype));
  return make_kernel([reduction = std::move(reduction), reduce = found->reduce](EvalContext& eval) -> Status {
    reduce(reduction, eval);
    return {};
  });
}

template <template <class> class Fold, class Finish, class... Ts>
constexpr auto choices(TypeList<Ts...>) {
  return std::array{Choice{kDTypeOf<Ts>, reduce<Ts, Fold<Ts>, Finish>}...};
}
template <template <class> class Fold, class Types, class Finish = Whole>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  static constexpr auto kChoices = choices<Fold, Finish>(Types());
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_same_grid(context, context.input(0), "the input", context.output(0)));
  return reduce_kernel(context, kChoices);
}

/// Numbers by one fold, bools by another.
template <template <class> class Fold, template <class> class OnBools, class Types>
Result<std::unique_ptr<Kernel>> prepare_either(PrepareContext& context) {
  if (context.has_input(0) && context.input(0).dtype == DType::kBool) return prepare<OnBools, TypeList<Bool>>(context);
  return prepare<Fold, Types>(context);
}

/// Floats by a fold in order, all others as ever.
template <class Fold, auto Otherwise, class Finish = Whole>
Result<std::unique_ptr<Kernel>> prepare_in_order(PrepareContext& context) {
  if (!context.has_input(0) || context.input(0).dtype != DType::kFloat32) return Otherwise(context);
  static constexpr Choice kChoices[] = {{DType::kFloat32, reduce<float, Fold, Finish>}};
  return reduce_kernel(context, kChoices);
}

using Numbers = TypeList<float, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
using Logical = TypeList<Bool>;
constexpr DTypes kNumbersOrBool = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kBool};

constexpr OpDef kDefinitions[] = {
    {.name = "SUM",
     .prepare = prepare_either<SumFold, AnyFold, Numbers>,
     .prepare_in_order = prepare_in_order<OrderedSum, prepare_either<SumFold, AnyFold, Numbers>>,
     .types = kNumbersOrBool},
    {.name = "MEAN",
     .prepare = prepare<SumFold, Numbers, Mean>,
     .prepare_in_order = prepare_in_order<OrderedSum, prepare<SumFold, Numbers, Mean>, Mean>,
     .types = Numbers::dtypes()},
    {.name = "REDUCE_PROD",
     .prepare = prepare_either<ProductFold, AllFold, Numbers>,
     .prepare_in_order = prepare_in_order<OrderedProduct, prepare_either<ProductFold, AllFold, Numbers>>,
     .types = kNumbersOrBool},
    {.name = "REDUCE_MAX",
     .prepare = prepare_either<MaxFold, AnyFold, Numbers>,
     .types = kNumbersOrBool,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "REDUCE_MIN",
     .prepare = prepare_either<MinFold, AllFold, Numbers>,
     .types = kNumbersOrBool,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "REDUCE_ANY", .prepare = prepare<AnyFold, Logical>, .types = Logical::dtypes()},
    {.name = "REDUCE_ALL", .prepare = prepare<AllFold, Logical>, .types = Logical::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_reduce
