// ONE_HOT: along a new axis, `on` where it stands at the index, `off` elsewhere; an index out of range gives `off` only.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_one_hot {
namespace {

constexpr int kIndices = 0;
constexpr int kDepth = 1;
constexpr int kOn = 2;
constexpr int kOff = 3;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(4, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIndices, "the indices", {DType::kInt32, DType::kInt64}));
  VISQ_TRY(context.expect_same_type(kOff, "the off value", kOn));
  for (const int slot : {kOn, kOff}) {
    if (context.input(slot).shape.elements() != 1)
      return context.fail("input {} has the shape {}", slot, to_string(context.input(slot).shape));
  }
  VISQ_ASSIGN(const std::int64_t depth, integer(context, kDepth, "the depth"));
  const Shape& indices = context.input(kIndices).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", -1), indices.rank() + 1));
  std::vector<std::int64_t> dims(indices.dims().begin(), indices.dims().end());
  dims.insert(dims.begin() + axis, depth);
  const Shape shape(std::move(dims));
  VISQ_TRY(context.set_output(0, context.input(kOn).dtype, shape));
  StridedCopy clear(shape, {0, std::vector<std::int64_t>(as_size(shape.rank()), 0)}, dense_walk(shape));
  return make_kernel([clear = std::move(clear), depth, inner = indices.elements(axis, indices.rank())](EvalContext& eval) -> Status {
    clear.run(eval.input(kOff), eval.output(0));
    const Tensor& index_tensor = eval.input(kIndices);
    const std::int64_t count = index_tensor.elements();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = index_value(index_tensor, i);
      if (index < 0 || index >= depth) continue;
      copy_elements(eval.input(kOn), 0, eval.output(0), (i / inner * depth + index) * inner + i % inner, 1);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ONE_HOT", .prepare = prepare, .types = kMovable, .main_input = kOn, .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_one_hot
