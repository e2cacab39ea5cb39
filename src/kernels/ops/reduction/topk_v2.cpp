// TOPK_V2: the k largest elements of each row (last axis) in falling order, and where they stand; of equals, the first comes first.
#include <algorithm>
#include <numeric>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_topk_v2 {
namespace {

constexpr int kInput = 0;
constexpr int kCount = 1;

using Types = TypeList<float, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;

/// Larger first, NaN last, then by place: an order without ties.
template <class T>
struct Before {
  const T* row;
  bool operator()(std::int64_t a, std::int64_t b) const {
    const T x = row[a], y = row[b];
    const bool x_is_nan = x != x, y_is_nan = y != y;
    if (x_is_nan != y_is_nan) return y_is_nan;
    if (x > y || y > x) return x > y;
    return a < b;
  }
};

template <class T, class Index>
Status top(EvalContext& eval, std::int64_t size, std::int64_t count) {
  auto* order = reinterpret_cast<std::int64_t*>(eval.scratch(as_size(size) * sizeof(std::int64_t)));
  const T* row = eval.in<T>(kInput).data();
  T* values = eval.out<T>(0).data();
  Index* indices = eval.out<Index>(1).data();
  const std::int64_t rows = count == 0 ? 0 : eval.output(0).elements() / count;
  for (std::int64_t r = 0; r < rows; ++r, row += size) {
    std::iota(order, order + size, std::int64_t{0});
    std::partial_sort(order, order + count, order + size, Before<T>{row});
    for (std::int64_t i = 0; i < count; ++i) {
      *values++ = row[order[i]];
      *indices++ = static_cast<Index>(order[i]);
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(2));
  const Shape& from = context.input(kInput).shape;
  if (from.rank() < 1) return context.fail("the input has rank 0, expected 1 or more");
  VISQ_ASSIGN(const std::int64_t count, integer(context, kCount, "k"));
  const std::int64_t size = from.back();
  if (count < 0 || count > size) return context.fail("cannot take the top {} of {} elements", count, size);
  Shape shape = from;
  shape[shape.rank() - 1] = count;
  const DType index_type = context.output(1).dtype;
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  VISQ_TRY(context.set_output(1, index_type, shape));
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) {
    return for_dtype(context, index_type, TypeList<std::int16_t, std::int32_t>(), [&]<class Index>(std::type_identity<Index>) {
      return make_kernel([size, count](EvalContext& eval) { return top<T, Index>(eval, size, count); });
    });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "TOPK_V2", .prepare = prepare, .types = Types::dtypes(), .takes_stored = true, .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_topk_v2
