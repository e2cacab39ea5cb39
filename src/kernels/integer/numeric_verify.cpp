// NumericVerify in integer runs: stored integers, dequantized, less their float reference.
#include "kernels/element_types.h"
#include "kernels/stored.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;
constexpr int kReference = 1;

using Stored = TypeList<std::int8_t, std::uint8_t, std::int16_t>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kReference, "the reference", {DType::kFloat32}));
  const Tensor& input = context.input(kInput);
  VISQ_TRY(expect_per_tensor(context, input, "the input"));
  if (context.input(kReference).shape.elements() != input.shape.elements()) {
    return context.fail("the reference has the shape {}, expected {}", to_string(context.input(kReference).shape), to_string(input.shape));
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, input.shape));
  return for_type(context, kInput, Stored(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return make_kernel([grid = stored_grid(input)](EvalContext& eval) -> Status {
      const auto scale = static_cast<float>(grid.scale);
      const auto in = eval.in<T>(kInput);
      const auto reference = eval.in<float>(kReference);
      const auto out = eval.out<float>(0);
      for (std::size_t i = 0; i < in.size(); ++i) {
        out[i] = scale * static_cast<float>(static_cast<std::int32_t>(in[i]) - grid.zero_point) - reference[i];
      }
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "NumericVerify", .prepare = prepare, .types = Stored::dtypes()}};

}  // namespace

std::span<const OpDef> integer_numeric_verify() { return kDefinitions; }

}  // namespace visq::kernels
