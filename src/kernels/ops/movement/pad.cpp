// PAD, PADV2: the input surrounded by a constant.
#include "kernels/indexing/padding.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_pad {
namespace {

constexpr int kInput = 0;
constexpr int kValue = 2;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context, bool has_value) {
  VISQ_TRY(context.expect_inputs(has_value ? 3 : 2, has_value ? 3 : 2));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  if (has_value) {
    VISQ_TRY(context.expect_same_type(kValue, "the padding value", kInput));
    if (context.input(kValue).shape.elements() != 1)
      return context.fail("the padding value has the shape {}", to_string(context.input(kValue).shape));
    VISQ_TRY(expect_same_grid(context, context.input(kValue), "the padding value", context.output(0)));
  }
  VISQ_ASSIGN(const Paddings paddings, read_paddings(context, 1, input.shape));
  VISQ_ASSIGN(const std::int64_t zero, padding_zero(context));
  VISQ_TRY(context.set_output(0, input.dtype, paddings.padded));
  return make_kernel([surround = Surround(input.shape, paddings), has_value, zero](EvalContext& eval) -> Status {
    if (has_value) {
      surround.run(eval.input(kInput), eval.input(kValue), eval.output(0));
    } else {
      surround.run(eval.input(kInput), zero, eval.output(0));
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_pad(PrepareContext& context) { return prepare(context, false); }
Result<std::unique_ptr<Kernel>> prepare_padv2(PrepareContext& context) { return prepare(context, true); }

constexpr OpDef kDefinitions[] = {
    {.name = "PAD", .prepare = prepare_pad, .types = kMovable, .takes_stored = true, .kind = OpKind::kPad, .keeps_codes = DTypes::all()},
    {.name = "PADV2",
     .prepare = prepare_padv2,
     .types = kMovable,
     .takes_stored = true,
     .kind = OpKind::kPad,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_pad
