// TRANSPOSE: axis i of the output is axis perm[i] of the input.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_transpose {
namespace {

constexpr int kInput = 0;
constexpr int kPermutation = 1;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const auto permutation, integers_of(context, kPermutation, "the permutation", from.rank()));
  const auto source_strides = dense_strides(from);
  std::vector<bool> used(source_strides.size(), false);
  Shape shape;
  Walk source;
  for (const std::int64_t listed : permutation) {
    VISQ_ASSIGN(const int axis, checked_axis(context, listed, from.rank()));
    const auto index = as_size(axis);
    if (used[index]) return context.fail("the permutation names axis {} twice", axis);
    used[index] = true;
    shape.push_back(from[axis]);
    source.strides.push_back(source_strides[index]);
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  return copy_kernel({StridedCopy(shape, source, dense_walk(shape))});
}

constexpr OpDef kDefinitions[] = {{.name = "TRANSPOSE",
                                   .prepare = prepare,
                                   .types = kMovableOrString,
                                   .reorders = true,
                                   .takes_stored = true,
                                   .kind = OpKind::kTranspose,
                                   .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_transpose
