#include "kernels/elementwise/fold_function.h"

#include <algorithm>
#include <array>

#include "core/as_size.h"
#include "kernels/elementwise/number_functions.h"

namespace visq::kernels {
namespace {

// Each takes the total first. Where the total is NaN, the extrema take the other.
struct FoldMaximum {
  template <class T>
  T operator()(T total, T value) const {
    return total >= value ? total : value;
  }
};
struct FoldMinimum {
  template <class T>
  T operator()(T total, T value) const {
    return total <= value ? total : value;
  }
};
struct FoldAll {
  template <class T>
  T operator()(T total, T value) const {
    const bool both = total != T{0} && value != T{0};
    return static_cast<T>(both);
  }
};
struct FoldAny {
  template <class T>
  T operator()(T total, T value) const {
    const bool either = total != T{0} || value != T{0};
    return static_cast<T>(either);
  }
};
struct Replace {
  template <class T>
  T operator()(T total, T) const {
    return total;
  }
};

template <class T, class Function>
constexpr Fold fold() {
  return {sizeof(T), [](std::byte* total, const std::byte* values, std::int64_t count, std::int64_t step) {
            Computed<T> sum = *reinterpret_cast<const T*>(total);
            for (std::int64_t i = 0; i < count; ++i) sum = Function()(sum, Computed<T>(reinterpret_cast<const T*>(values)[i * step]));
            *reinterpret_cast<T*>(total) = static_cast<T>(sum);
          }};
}

/// In the order of FoldFunction, and what replaces behind them.
struct Folds {
  DType dtype;
  Fold folds[7];
};
template <class T>
constexpr Folds folds() {
  return {kDTypeOf<T>,
          {fold<T, WrappingSum>(), fold<T, WrappingProduct>(), fold<T, FoldMaximum>(), fold<T, FoldMinimum>(), fold<T, FoldAll>(),
           fold<T, FoldAny>(), fold<T, Replace>()}};
}
template <class... Ts>
constexpr auto table(TypeList<Ts...>) {
  return std::array{folds<Ts>()...};
}
constexpr auto kFolds = table(FoldTypes());

}  // namespace

const Fold& fold_of(DType dtype, std::optional<FoldFunction> function) {
  const auto found = std::find_if(kFolds.begin(), kFolds.end(), [&](const Folds& each) { return each.dtype == dtype; });
  return found->folds[function ? as_size(*function) : std::size(found->folds) - 1];
}

Result<std::optional<FoldFunction>> folding_body(const PrepareContext& context, std::int64_t subgraph) {
  struct Entry {
    std::string_view op;
    FoldFunction function;
  };
  static constexpr Entry kBodies[] = {
      {"ADD", FoldFunction::kAdd},         {"STABLEHLO_ADD", FoldFunction::kAdd},
      {"MUL", FoldFunction::kMultiply},    {"STABLEHLO_MULTIPLY", FoldFunction::kMultiply},
      {"MAXIMUM", FoldFunction::kMaximum}, {"STABLEHLO_MAXIMUM", FoldFunction::kMaximum},
      {"MINIMUM", FoldFunction::kMinimum}, {"STABLEHLO_MINIMUM", FoldFunction::kMinimum},
      {"LOGICAL_AND", FoldFunction::kAll}, {"STABLEHLO_AND", FoldFunction::kAll},
      {"LOGICAL_OR", FoldFunction::kAny},  {"STABLEHLO_OR", FoldFunction::kAny},
  };
  const Subgraph* body = context.called(subgraph);
  if (body == nullptr) return context.fail("its body, subgraph {}, does not exist", subgraph);
  if (body->operators.empty()) return std::optional<FoldFunction>();
  if (body->operators.size() != 1) {
    return context.unsupported("its body, subgraph {}, has {} operators, expected 1", subgraph, body->operators.size());
  }
  const std::string& op = body->operators[0].label();
  for (const Entry& entry : kBodies) {
    if (entry.op == op) return std::optional(entry.function);
  }
  return context.unsupported("cannot fold by {}", op);
}

}  // namespace visq::kernels
