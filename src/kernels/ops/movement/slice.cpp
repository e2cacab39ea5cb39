// SLICE: a block of the input given by its first element and its sizes.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_slice {
namespace {

constexpr int kInput = 0;
constexpr int kBegin = 1;
constexpr int kSize = 2;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(kInput).shape;
  VISQ_ASSIGN(const auto begin, integers_of(context, kBegin, "begin", from.rank()));
  VISQ_ASSIGN(const auto size, integers_of(context, kSize, "size", from.rank()));
  Walk source = dense_walk(from);
  Shape shape;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const auto i = as_size(axis);
    if (begin[i] < 0 || begin[i] > from[axis]) return context.fail("begin {} is outside axis {} of size {}", begin[i], axis, from[axis]);
    const std::int64_t rest = from[axis] - begin[i];
    const std::int64_t count = size[i] == -1 ? rest : size[i];
    if (count < 0 || count > rest) return context.fail("size {} from {} exceeds axis {} of size {}", size[i], begin[i], axis, from[axis]);
    shape.push_back(count);
    source.offset += begin[i] * source.strides[i];
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  return copy_kernel({StridedCopy(shape, source, dense_walk(shape))});
}

constexpr OpDef kDefinitions[] = {
    {.name = "SLICE", .prepare = prepare, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_slice
