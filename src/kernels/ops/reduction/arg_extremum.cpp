// ARG_MAX, ARG_MIN: where along an axis the largest (smallest) element stands, the first of equals.
#include <functional>

#include "kernels/element_types.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_arg_extremum {
namespace {

constexpr int kInput = 0;
constexpr int kAxis = 1;

/// The input as [outer, size, inner].
struct Extents {
  std::int64_t outer, size, inner;
};

/// NaN is worse than any number.
template <class Better, class T>
bool is_better(T value, T best) {
  return Better()(value, best) || (best != best && value == value);
}

template <class T, class Index, class Better>
Status find_best(EvalContext& eval, const Extents& e) {
  const T* in = eval.in<T>(kInput).data();
  Index* out = eval.out<Index>(0).data();
  for (std::int64_t outer = 0; outer < e.outer; ++outer, in += e.size * e.inner, out += e.inner) {
    for (std::int64_t inner = 0; inner < e.inner; ++inner) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < e.size; ++i) {
        if (is_better<Better>(in[i * e.inner + inner], in[best * e.inner + inner])) best = i;
      }
      out[inner] = static_cast<Index>(best);
    }
  }
  return {};
}

using Types = TypeList<float, Bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;

template <class Better>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const std::int64_t where, integer(context, kAxis, "the axis"));
  VISQ_ASSIGN(const int axis, checked_axis(context, where, from.rank()));
  std::vector<std::int64_t> dims(from.dims().begin(), from.dims().end());
  dims.erase(dims.begin() + axis);
  const DType index_type = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, index_type, Shape(std::move(dims))));
  const Extents extents{from.elements(0, axis), from[axis], from.elements(axis + 1, from.rank())};
  if (extents.size == 0 && extents.outer * extents.inner > 0) return context.fail("axis {} has no elements", axis);
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) {
    return for_dtype(context, index_type, TypeList<std::int32_t, std::int64_t>(), [&]<class Index>(std::type_identity<Index>) {
      return make_kernel([extents](EvalContext& eval) { return find_best<T, Index, Better>(eval, extents); });
    });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ARG_MAX", .prepare = prepare<std::greater<>>, .types = Types::dtypes(), .takes_stored = true},
    {.name = "ARG_MIN", .prepare = prepare<std::less<>>, .types = Types::dtypes(), .takes_stored = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_arg_extremum
