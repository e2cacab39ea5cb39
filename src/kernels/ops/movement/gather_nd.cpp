// GATHER_ND, SCATTER_ND: slices addressed by tuples of indices, read or added up.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/indexing.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_gather_nd {
namespace {

/// Tuples of indices (the last axis of the index tensor) into the leading axes of a shape.
struct Tuples {
  Shape leading;                      ///< the axes that a tuple indexes
  std::vector<std::int64_t> strides;  ///< of these axes, in elements
  std::int64_t count = 0;             ///< of tuples
  std::int64_t slice = 1;             ///< elements that one tuple addresses
  std::string place;

  /// First element of the slice that tuple `number` addresses.
  Result<std::int64_t> start(const Tensor& indices, std::int64_t number) const {
    std::int64_t offset = 0;
    for (int axis = 0; axis < leading.rank(); ++axis) {
      const std::int64_t index = index_value(indices, number * leading.rank() + axis);
      if (index < 0 || index >= leading[axis]) {
        return bad_input("{}: index {} is out of range for axis {} of size {}", place, index, axis, leading[axis]);
      }
      offset += index * strides[as_size(axis)];
    }
    return offset;
  }
};

Result<Tuples> plan_tuples(const PrepareContext& context, int slot, const Shape& into) {
  VISQ_TRY(context.expect_type(slot, "the indices", {DType::kInt16, DType::kInt32, DType::kInt64}));
  const Shape& indices = context.input(slot).shape;
  if (indices.rank() < 1) return context.fail("the indices have rank 0, expected 1 or more");
  if (indices.back() > into.rank()) return context.fail("tuples of {} indices for a tensor of rank {}", indices.back(), into.rank());
  const int depth = static_cast<int>(indices.back());
  Tuples tuples;
  tuples.leading = Shape(into.dims().first(as_size(depth)));
  tuples.strides = dense_strides(into);
  tuples.count = indices.elements(0, indices.rank() - 1);
  tuples.slice = into.elements(depth, into.rank());
  tuples.place = context.place();
  return tuples;
}

/// The index tensor's outer axes, then those of a slice.
Shape addressed_shape(const Shape& indices, const Shape& into) {
  Shape shape(indices.dims().first(as_size(indices.rank()) - 1));
  for (int axis = static_cast<int>(indices.back()); axis < into.rank(); ++axis) shape.push_back(into[axis]);
  return shape;
}

Result<std::unique_ptr<Kernel>> prepare_gather_nd(PrepareContext& context) {
  constexpr int kInput = 0, kIndices = 1;
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  VISQ_ASSIGN(auto tuples, plan_tuples(context, kIndices, input.shape));
  VISQ_TRY(context.set_output(0, input.dtype, addressed_shape(context.input(kIndices).shape, input.shape)));
  return make_kernel([tuples = std::move(tuples)](EvalContext& eval) -> Status {
    for (std::int64_t i = 0; i < tuples.count; ++i) {
      VISQ_ASSIGN(const std::int64_t start, tuples.start(eval.input(kIndices), i));
      copy_elements(eval.input(kInput), start, eval.output(0), i * tuples.slice, tuples.slice);
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_scatter_nd(PrepareContext& context) {
  constexpr int kIndices = 0, kUpdates = 1, kShape = 2;
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(auto dims, context.integers(kShape, "the shape"));
  const Shape shape(std::move(dims));
  VISQ_TRY(context.set_output(0, context.input(kUpdates).dtype, shape));
  VISQ_ASSIGN(auto tuples, plan_tuples(context, kIndices, shape));
  const Shape expected = addressed_shape(context.input(kIndices).shape, shape);
  if (context.input(kUpdates).shape != expected) {
    return context.fail("updates have the shape {}, expected {}", to_string(context.input(kUpdates).shape), to_string(expected));
  }
  using Types = TypeList<float, Bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;
  return for_type(context, kUpdates, Types(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return make_kernel([tuples = std::move(tuples)](EvalContext& eval) -> Status {
      const auto updates = eval.in<T>(kUpdates);
      const auto out = eval.out<T>(0);
      std::fill(out.begin(), out.end(), T());
      for (std::int64_t i = 0; i < tuples.count; ++i) {
        VISQ_ASSIGN(const std::int64_t start, tuples.start(eval.input(kIndices), i));
        for (std::int64_t j = 0; j < tuples.slice; ++j) {
          T& sum = out[as_size(start + j)];
          const T update = updates[as_size(i * tuples.slice + j)];
          if constexpr (std::is_same_v<T, Bool>)
            sum = sum || update;
          else
            sum = wrapping_add(sum, update);
        }
      }
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "GATHER_ND", .prepare = prepare_gather_nd, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()},
    {.name = "SCATTER_ND",
     .prepare = prepare_scatter_nd,
     .types = {DType::kFloat32, DType::kBool, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64},
     .main_input = 1,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_gather_nd
