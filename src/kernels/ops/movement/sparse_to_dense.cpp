// SPARSE_TO_DENSE: a tensor of one default value with single elements set; of equal indices the last one counts.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_sparse_to_dense {
namespace {

constexpr int kIndices = 0;
constexpr int kShape = 1;
constexpr int kValues = 2;
constexpr int kDefault = 3;

/// Checks the indices, [count, rank] or less, and the values, one or one per index.
Result<std::int64_t> count_indices(const PrepareContext& context, const Shape& shape) {
  VISQ_TRY(context.expect_type(kIndices, "the indices", {DType::kInt32, DType::kInt64}));
  const Shape& indices = context.input(kIndices).shape;
  const Shape& values = context.input(kValues).shape;
  const std::int64_t count = indices.rank() == 0 ? 1 : indices[0];
  const std::int64_t depth = indices.rank() == 2 ? indices[1] : 1;
  if (indices.rank() > 2 || depth != shape.rank()) {
    return context.fail("indices of shape {} do not fit an output of rank {}", to_string(indices), shape.rank());
  }
  if (values.rank() > 1 || (values.rank() == 1 && values[0] != count)) {
    return context.fail("values of shape {} for {} indices", to_string(values), count);
  }
  if (context.input(kDefault).shape.elements() != 1) {
    return context.fail("the default value has the shape {}", to_string(context.input(kDefault).shape));
  }
  return count;
}

Status set_elements(EvalContext& eval, std::int64_t count, const std::string& place) {
  const Shape& shape = eval.output(0).shape;
  const std::int64_t value_step = eval.input(kValues).shape.rank();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t target = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const std::int64_t index = index_value(eval.input(kIndices), i * shape.rank() + axis);
      if (index < 0 || index >= shape[axis]) {
        return bad_input("{}: index {} is out of range for axis {} of size {}", place, index, axis, shape[axis]);
      }
      target = target * shape[axis] + index;
    }
    copy_elements(eval.input(kValues), i * value_step, eval.output(0), target, 1);
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(4, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kDefault, "the default value", kValues));
  VISQ_ASSIGN(auto dims, context.integers(kShape, "the shape"));
  const Shape shape(std::move(dims));
  VISQ_ASSIGN(const std::int64_t count, count_indices(context, shape));
  VISQ_TRY(context.set_output(0, context.input(kValues).dtype, shape));
  const StridedCopy fill(shape, {0, std::vector<std::int64_t>(as_size(shape.rank()), 0)}, dense_walk(shape));
  return make_kernel([fill, count, place = context.place()](EvalContext& eval) {
    fill.run(eval.input(kDefault), eval.output(0));
    return set_elements(eval, count, place);
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "SPARSE_TO_DENSE", .prepare = prepare, .types = kMovable, .main_input = kValues, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_sparse_to_dense
