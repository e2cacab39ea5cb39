// PAD, PADV2: the input surrounded by a constant.
#include "kernels/padding.h"

namespace visq::kernels {
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
  }
  VISQ_ASSIGN(const Paddings paddings, read_paddings(context, 1, input.shape));
  VISQ_TRY(context.set_output(0, input.dtype, paddings.padded));
  return make_kernel([surround = Surround(input.shape, paddings), has_value](EvalContext& eval) -> Status {
    alignas(16) std::byte zero[16] = {};
    Tensor nought;
    nought.dtype = eval.input(kInput).dtype;
    nought.data = zero;
    surround.run(eval.input(kInput), has_value ? eval.input(kValue) : nought, eval.output(0));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_pad(PrepareContext& context) { return prepare(context, false); }
Result<std::unique_ptr<Kernel>> prepare_padv2(PrepareContext& context) { return prepare(context, true); }

constexpr OpDef kDefinitions[] = {
    {.name = "PAD", .prepare = prepare_pad, .types = kMovable},
    {.name = "PADV2", .prepare = prepare_padv2, .types = kMovable},
};

}  // namespace

std::span<const OpDef> ops_pad() { return kDefinitions; }

}  // namespace visq::kernels
