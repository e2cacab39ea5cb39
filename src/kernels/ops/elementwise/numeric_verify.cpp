// NumericVerify, a custom operator of debugging models: what a quantized tensor is off its float reference. The tolerance in its options,
// beyond which LiteRT stops, is left aside: to see the difference is what the operator is for.
#include "kernels/elementwise/elementwise.h"

namespace visq::kernels::ops_numeric_verify {
namespace {

constexpr int kInput = 0;
constexpr int kReference = 1;

using Types = TypeList<float, Half>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kReference, "the reference", {DType::kFloat32}));
  const Shape& shape = context.input(kInput).shape;
  if (context.input(kReference).shape.elements() != shape.elements()) {
    return context.fail("the reference has the shape {}, expected {}", to_string(context.input(kReference).shape), to_string(shape));
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return make_kernel([](EvalContext& eval) -> Status {
      const auto in = eval.in<T>(kInput);
      const auto reference = eval.in<float>(kReference);
      const auto out = eval.out<float>(0);
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<float>(in[i]) - reference[i];
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "NumericVerify", .prepare = prepare, .types = Types::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_numeric_verify
