// ONNX operators whose results depend on values in number or place: NonZero, Compress, OneHot, Unique.
#include <algorithm>
#include <numeric>

#include "kernels/indexing/element_sizes.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/translation.h"
#include "kernels/onnx/wide_values.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_select {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr DTypes kNumbersOrBool = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,
                                   DType::kUInt8,   DType::kInt16,   DType::kUInt16,   DType::kInt32,   DType::kUInt32,
                                   DType::kInt64,   DType::kUInt64,  DType::kBool};

/// Where the elements stand that are not zero.
Sizes places_of_others_than_zero(const Tensor& tensor) {
  Sizes places;
  const auto numbers = real_numbers(tensor);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  }
  return places;
}

/// Coordinates, an axis a row.
Result<std::unique_ptr<Kernel>> prepare_non_zero(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.require_known(0));
  const Shape& from = context.input(0).shape;
  const auto count = static_cast<std::int64_t>(places_of_others_than_zero(context.input(0)).size());
  VISQ_TRY(context.set_output(0, DType::kInt64, {from.rank(), count}));
  return make_kernel([](EvalContext& eval) -> Status {
    const Shape& shape = eval.input(0).shape;
    const Sizes places = places_of_others_than_zero(eval.input(0));
    std::int64_t* out = eval.out<std::int64_t>(0).data();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const std::int64_t inner = shape.elements(axis + 1, shape.rank());
      for (const std::int64_t place : places) *out++ = place / inner % shape[axis];
    }
    return {};
  });
}

/// Slices along an axis, or elements of the whole, where the condition holds; what it does not reach is left out.
Result<std::unique_ptr<Kernel>> prepare_compress(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(1, "the condition", {DType::kBool}));
  VISQ_TRY(context.expect_rank(1, "the condition", 1));
  VISQ_TRY(context.require_known(1));
  const Shape& from = context.input(0).shape;
  AxisExtents extents{1, from.elements(), 1};
  Shape shape{0};
  int axis = 0;
  if (context.attributes().find("axis") != nullptr) {
    VISQ_ASSIGN(axis, checked_axis(context, context.attributes().integer("axis"), from.rank()));
    extents = extents_of(from, axis);
    shape = from;
  }
  Sizes kept;
  const auto condition = context.input(1).values<Bool>();
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (condition[i]) kept.push_back(static_cast<std::int64_t>(i));
  }
  if (!kept.empty() && kept.back() >= extents.size) return context.fail("the condition takes element {} of {}", kept.back(), extents.size);
  shape[axis] = static_cast<std::int64_t>(kept.size());
  VISQ_TRY(context.set_output(0, context.input(0).dtype, shape));
  return make_kernel([extents, kept = std::move(kept)](EvalContext& eval) -> Status {
    std::int64_t to = 0;
    for (std::int64_t outer = 0; outer < extents.outer; ++outer) {
      for (const std::int64_t place : kept) {
        copy_elements(eval.input(0), (outer * extents.size + place) * extents.inner, eval.output(0), to, extents.inner);
        to += extents.inner;
      }
    }
    return {};
  });
}

/// Along a new axis: the second of the values where it stands at the index, the first elsewhere.
Result<std::unique_ptr<Kernel>> prepare_one_hot(PrepareContext& context) {
  constexpr int kIndices = 0, kDepth = 1, kValues = 2;
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  if (!kNumbers.has(context.input(kDepth).dtype)) return context.unsupported("a depth of {}", name(context.input(kDepth).dtype));
  VISQ_TRY(context.require_known(kDepth));
  if (context.input(kDepth).elements() != 1) return context.fail("depth has the shape {}", to_string(context.input(kDepth).shape));
  if (context.input(kValues).shape != Shape{2}) return context.fail("values have the shape {}", to_string(context.input(kValues).shape));
  if (!kMovable.has(context.input(kValues).dtype)) return context.unsupported("values of {}", name(context.input(kValues).dtype));
  const double given = real_numbers(context.input(kDepth))[0];
  if (!(given >= 0 && given < 2147483648.0)) return context.fail("depth is {}", given);
  const auto depth = static_cast<std::int64_t>(given);
  const Shape& indices = context.input(kIndices).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), indices.rank() + 1));
  Sizes dims(indices.dims().begin(), indices.dims().end());
  dims.insert(dims.begin() + axis, depth);
  VISQ_TRY(context.set_output(0, context.input(kValues).dtype, Shape(std::move(dims))));
  return make_kernel([depth, inner = indices.elements(axis, indices.rank())](EvalContext& eval) -> Status {
    const auto places = real_numbers(eval.input(kIndices));
    with_size_of(eval.output(0).dtype, [&]<class T>(std::type_identity<T>) {
      const T* const values = reinterpret_cast<const T*>(eval.input(kValues).data);
      T* const out = reinterpret_cast<T*>(eval.output(0).data);
      std::fill_n(out, eval.output(0).elements(), values[0]);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double place = places[i] < 0 ? places[i] + static_cast<double>(depth) : places[i];
        const auto index = place >= 0 && place < static_cast<double>(depth) ? static_cast<std::int64_t>(place) : -1;
        const auto at = static_cast<std::int64_t>(i);
        if (index >= 0) out[(at / inner * depth + index) * inner + at % inner] = values[1];
      }
    });
    return {};
  });
}

/// The distinct slices of a tensor: where each stands first, and of which kind each slice is.
struct Kinds {
  AxisExtents extents;
  Sizes first;   ///< a slice of each kind, in the order of the output
  Sizes kind;    ///< of each slice
  Sizes counts;  ///< of each kind
};

/// -1, 0 or 1 as slice a comes before b, element by element.
template <class T>
int compare_slices(const T* in, const AxisExtents& extents, std::int64_t a, std::int64_t b) {
  for (std::int64_t outer = 0; outer < extents.outer; ++outer) {
    const T* const line = in + outer * extents.size * extents.inner;
    for (std::int64_t i = 0; i < extents.inner; ++i) {
      const T x = line[a * extents.inner + i], y = line[b * extents.inner + i];
      if (x < y) return -1;
      if (y < x) return 1;
    }
  }
  return 0;
}

template <class T>
void find_kinds(const Tensor& tensor, bool sorted, Kinds& kinds) {
  const WideInput<T> in(tensor);
  Sizes order(as_size(kinds.extents.size));
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int64_t a, std::int64_t b) { return compare_slices(in.data(), kinds.extents, a, b); };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return compare(a, b) < 0; });
  Sizes ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) kinds.first.push_back(order[i]);
    ranks[as_size(order[i])] = static_cast<std::int64_t>(kinds.first.size()) - 1;
  }
  Sizes places(kinds.first.size());  // in the output, by rank
  std::iota(places.begin(), places.end(), 0);
  if (!sorted) {
    Sizes by_first = places;
    std::ranges::sort(by_first, {}, [&](std::int64_t rank) { return kinds.first[as_size(rank)]; });
    for (std::size_t i = 0; i < by_first.size(); ++i) places[as_size(by_first[i])] = static_cast<std::int64_t>(i);
    std::ranges::sort(kinds.first);
  }
  kinds.counts.assign(kinds.first.size(), 0);
  for (const std::int64_t rank : ranks) {
    kinds.kind.push_back(places[as_size(rank)]);
    ++kinds.counts[as_size(kinds.kind.back())];
  }
}

/// Outputs: the kinds, where each stands first, the kind of each slice, and how many each kind has.
Status write_kinds(const Kinds& kinds, EvalContext& eval) {
  const auto count = static_cast<std::int64_t>(kinds.first.size());
  for (std::int64_t outer = 0; outer < kinds.extents.outer; ++outer) {
    for (std::int64_t i = 0; i < count; ++i) {
      copy_elements(eval.input(0), (outer * kinds.extents.size + kinds.first[as_size(i)]) * kinds.extents.inner, eval.output(0),
                    (outer * count + i) * kinds.extents.inner, kinds.extents.inner);
    }
  }
  const Sizes* const lists[] = {&kinds.first, &kinds.kind, &kinds.counts};
  for (int slot = 1; slot < eval.output_count(); ++slot) std::ranges::copy(*lists[slot - 1], eval.out<std::int64_t>(slot).begin());
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_unique(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  if (context.output_count() < 1 || context.output_count() > 4) return context.fail("has {} outputs", context.output_count());
  VISQ_TRY(context.require_known(0));
  const Tensor& input = context.input(0);
  Kinds kinds;
  kinds.extents = {1, input.elements(), 1};
  Shape shape{0};
  int axis = 0;
  if (context.attributes().find("axis") != nullptr) {
    VISQ_ASSIGN(axis, checked_axis(context, context.attributes().integer("axis"), input.shape.rank()));
    kinds.extents = extents_of(input.shape, axis);
    shape = input.shape;
  }
  const bool sorted = context.attributes().integer("sorted", 1) != 0;
  return for_dtype(context, wide_type(input.dtype), WideTypes(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    find_kinds<T>(input, sorted, kinds);
    const auto count = static_cast<std::int64_t>(kinds.first.size());
    shape[axis] = count;
    VISQ_TRY(context.set_output(0, input.dtype, shape));
    for (int slot = 1; slot < context.output_count(); ++slot) {
      VISQ_TRY(context.set_output(slot, DType::kInt64, {slot == 2 ? kinds.extents.size : count}));
    }
    return make_kernel([kinds = std::move(kinds)](EvalContext& eval) { return write_kinds(kinds, eval); });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Compress", .prepare = prepare_compress, .types = kMovable},
    {.name = "ai.onnx.NonZero", .prepare = prepare_non_zero, .types = kNumbersOrBool},
    {.name = "ai.onnx.OneHot", .prepare = prepare_one_hot, .types = kNumbers},
    {.name = "ai.onnx.Unique", .prepare = prepare_unique, .types = kNumbersOrBool},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_select
