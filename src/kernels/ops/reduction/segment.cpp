// SEGMENT_SUM, UNSORTED_SEGMENT_SUM, _PROD, _MAX, _MIN: slices of the data folded by the segment that each belongs to.
#include <limits>

#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/index_values.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_segment {
namespace {

constexpr int kData = 0;
constexpr int kIds = 1;
constexpr int kSegments = 2;

template <class T>
struct Sum {
  static T initial() { return 0; }
  static T fold(T total, T value) { return wrapping_add(total, value); }
};
template <class T>
struct Product {
  static T initial() { return 1; }
  static T fold(T total, T value) { return wrapping_multiply(total, value); }
};
template <class T>
struct Maximum {
  static T initial() { return std::numeric_limits<T>::lowest(); }
  static T fold(T total, T value) { return value > total ? value : total; }
};
template <class T>
struct Minimum {
  static T initial() { return std::numeric_limits<T>::max(); }
  static T fold(T total, T value) { return value < total ? value : total; }
};

/// Negative ids belong to no segment.
template <class T, class Fold>
Status fold_segments(EvalContext& eval, std::int64_t slice, const std::string& place) {
  const auto out = eval.out<T>(0);
  const T* data = eval.in<T>(kData).data();
  std::fill(out.begin(), out.end(), Fold::initial());
  const std::int64_t segments = eval.output(0).shape[0], count = eval.input(kIds).elements();
  for (std::int64_t i = 0; i < count; ++i, data += slice) {
    const std::int64_t id = index_value(eval.input(kIds), i);
    if (id >= segments) return bad_input("{}: segment {} is out of range for {} segments", place, id, segments);
    if (id < 0) continue;
    T* totals = out.data() + id * slice;
    for (std::int64_t j = 0; j < slice; ++j) totals[j] = Fold::fold(totals[j], data[j]);
  }
  return {};
}

using Types = TypeList<float, std::int32_t>;

/// Declares the output: segments, then the data's axes behind those that the ids have.
template <template <class> class Fold>
Result<std::unique_ptr<Kernel>> segment_kernel(PrepareContext& context, std::int64_t segments) {
  const Shape& data = context.input(kData).shape;
  const Shape& ids = context.input(kIds).shape;
  bool leading = ids.rank() <= data.rank();
  for (int axis = 0; leading && axis < ids.rank(); ++axis) leading = ids[axis] == data[axis];
  if (!leading) return context.fail("ids of shape {} do not fit data of shape {}", to_string(ids), to_string(data));
  Shape shape{segments};
  for (int axis = ids.rank(); axis < data.rank(); ++axis) shape.push_back(data[axis]);
  VISQ_TRY(context.set_output(0, context.input(kData).dtype, std::move(shape)));
  return for_type(context, kData, Types(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([slice = data.elements(ids.rank(), data.rank()), place = context.place()](EvalContext& eval) {
      return fold_segments<T, Fold<T>>(eval, slice, place);
    });
  });
}

/// The ids decide how many segments there are: they start at 0 and rise by at most 1.
Result<std::unique_ptr<Kernel>> prepare_sorted(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kIds, "the ids", 1));
  VISQ_ASSIGN(const auto ids, context.integers(kIds, "the ids"));
  std::int64_t last = -1;
  for (const std::int64_t id : ids) {
    const bool follows = id == last + 1 || (id == last && last >= 0);
    if (!follows) return context.fail("segment {} follows segment {}", id, last);
    last = id;
  }
  return segment_kernel<Sum>(context, last + 1);
}

template <template <class> class Fold>
Result<std::unique_ptr<Kernel>> prepare_unsorted(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIds, "the ids", {DType::kInt32, DType::kInt64}));
  VISQ_ASSIGN(const std::int64_t segments, integer(context, kSegments, "the number of segments"));
  return segment_kernel<Fold>(context, segments);
}

constexpr OpDef kDefinitions[] = {
    {.name = "SEGMENT_SUM", .prepare = prepare_sorted, .types = Types::dtypes()},
    {.name = "UNSORTED_SEGMENT_SUM", .prepare = prepare_unsorted<Sum>, .types = Types::dtypes()},
    {.name = "UNSORTED_SEGMENT_PROD", .prepare = prepare_unsorted<Product>, .types = Types::dtypes()},
    {.name = "UNSORTED_SEGMENT_MAX", .prepare = prepare_unsorted<Maximum>, .types = Types::dtypes()},
    {.name = "UNSORTED_SEGMENT_MIN", .prepare = prepare_unsorted<Minimum>, .types = Types::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_segment
