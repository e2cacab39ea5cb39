// MIRROR_PAD: the input surrounded by its own reflection, with (SYMMETRIC) or without (REFLECT) repeating the edge.
#include "core/as_size.h"
#include "kernels/indexing/padding.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_mirror_pad {
namespace {

constexpr int kInput = 0;

/// Copies within the output, once the input stands in its middle. Axes are completed from the last to the first: while axis d is
/// mirrored, those behind it are complete and those before it hold only the middle.
std::vector<StridedCopy> mirror_copies(const Shape& input, const Paddings& paddings, std::int64_t skipped) {
  std::vector<StridedCopy> copies;
  const Walk all = dense_walk(paddings.padded);
  Shape region = input;
  Walk middle{interior_offset(paddings), all.strides};
  for (int axis = input.rank() - 1; axis >= 0; --axis) {
    const auto i = as_size(axis);
    const std::int64_t step = all.strides[i];
    Walk source = middle, target = middle;
    source.strides[i] = -step;  // outwards from the edge, while the source runs inwards
    region[axis] = paddings.before[i];
    source.offset = middle.offset + (skipped + paddings.before[i] - 1) * step;
    target.offset = middle.offset - paddings.before[i] * step;
    copies.emplace_back(region, source, target);
    region[axis] = paddings.after[i];
    source.offset = middle.offset + (input[axis] - 1 - skipped) * step;
    target.offset = middle.offset + input[axis] * step;
    copies.emplace_back(region, source, target);
    region[axis] = paddings.padded[axis];
    middle.offset -= paddings.before[i] * step;
  }
  return copies;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  VISQ_TRY(expect_same_grid(context, input, "the input", context.output(0)));
  VISQ_ASSIGN(const Paddings paddings, read_paddings(context, 1, input.shape));
  const std::int64_t skipped = context.attributes().text("mode", "REFLECT") == "REFLECT" ? 1 : 0;
  for (int axis = 0; axis < input.shape.rank(); ++axis) {
    const auto i = as_size(axis);
    const std::int64_t most = std::max(paddings.before[i], paddings.after[i]);
    if (most > 0 && most > input.shape[axis] - skipped) {
      return context.fail("padding {} is too large to mirror axis {} of size {}", most, axis, input.shape[axis]);
    }
  }
  VISQ_TRY(context.set_output(0, input.dtype, paddings.padded));
  StridedCopy middle(input.shape, dense_walk(input.shape), {interior_offset(paddings), dense_strides(paddings.padded)});
  return make_kernel([middle = std::move(middle), mirrors = mirror_copies(input.shape, paddings, skipped)](EvalContext& eval) -> Status {
    middle.run(eval.input(kInput), eval.output(0));
    for (const StridedCopy& mirror : mirrors) mirror.run(eval.output(0), eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "MIRROR_PAD", .prepare = prepare, .types = kMovable, .takes_stored = true, .keeps_codes = DTypes::all()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_mirror_pad
