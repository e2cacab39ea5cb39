// GATHER, EMBEDDING_LOOKUP: slices of an input along one axis, chosen by indices.
#include "kernels/element_types.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_gather {
namespace {

constexpr int kInput = 0;
constexpr int kIndices = 1;

/// The input as [batches, outer, size, inner], the indices as [batches, count], the output as [batches, outer, count, inner].
struct Extents {
  std::int64_t batches, outer, size, inner, count;
};

Status gather(EvalContext& eval, const Extents& e, int input, int indices, const std::string& place) {
  const Tensor& index_tensor = eval.input(indices);
  std::int64_t target = 0;
  for (std::int64_t batch = 0; batch < e.batches; ++batch) {
    for (std::int64_t outer = 0; outer < e.outer; ++outer) {
      const std::int64_t plane = (batch * e.outer + outer) * e.size;
      for (std::int64_t i = 0; i < e.count; ++i, target += e.inner) {
        const std::int64_t index = index_value(index_tensor, batch * e.count + i);
        if (index < 0 || index >= e.size) return bad_input("{}: index {} is out of range for an axis of size {}", place, index, e.size);
        copy_elements(eval.input(input), (plane + index) * e.inner, eval.output(0), target, e.inner);
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> gather_kernel(PrepareContext& context, int input, int indices, int axis, int batch_dims) {
  const Shape& from = context.input(input).shape;
  const Shape& index_shape = context.input(indices).shape;
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.push_back(from[i]);
  for (int i = batch_dims; i < index_shape.rank(); ++i) shape.push_back(index_shape[i]);
  for (int i = axis + 1; i < from.rank(); ++i) shape.push_back(from[i]);
  VISQ_TRY(context.set_output(0, context.input(input).dtype, std::move(shape)));
  const Extents extents{from.elements(0, batch_dims), from.elements(batch_dims, axis), from[axis], from.elements(axis + 1, from.rank()),
                        index_shape.elements(batch_dims, index_shape.rank())};
  return make_kernel([=, place = context.place()](EvalContext& eval) { return gather(eval, extents, input, indices, place); });
}

Result<std::unique_ptr<Kernel>> prepare_gather(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIndices, "the indices", {DType::kInt16, DType::kInt32, DType::kInt64}));
  const Shape& from = context.input(kInput).shape;
  const Shape& index_shape = context.input(kIndices).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), from.rank()));
  const std::int64_t given = context.attributes().integer("batch_dims");
  const std::int64_t batch_dims = given < 0 ? given + index_shape.rank() : given;
  if (batch_dims < 0 || batch_dims > index_shape.rank() || batch_dims > axis) {
    return context.fail("batch_dims {} does not fit axis {} and indices of rank {}", given, axis, index_shape.rank());
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (from[i] != index_shape[i])
      return context.fail("batch axis {} has size {} in the input, {} in the indices", i, from[i], index_shape[i]);
  }
  return gather_kernel(context, kInput, kIndices, axis, static_cast<int>(batch_dims));
}

Result<std::unique_ptr<Kernel>> prepare_embedding_lookup(PrepareContext& context) {
  constexpr int kIds = 0, kTable = 1;
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIds, "the ids", {DType::kInt32}));
  VISQ_TRY(context.expect_rank(kIds, "the ids", 1));
  if (context.input(kTable).shape.rank() < 1) return context.fail("the table has rank 0, expected 1 or more");
  return gather_kernel(context, kTable, kIds, 0, 0);
}

constexpr OpDef kDefinitions[] = {
    {.name = "GATHER",
     .prepare = prepare_gather,
     .types = kMovableOrString,
     .takes_stored = true,
     .kind = OpKind::kGather,
     .keeps_codes = DTypes::all()},
    {.name = "EMBEDDING_LOOKUP", .prepare = prepare_embedding_lookup, .types = kMovable, .main_input = 1, .kind = OpKind::kGather},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_gather
