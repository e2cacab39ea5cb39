// NumericVerify in integer runs: stored integers, dequantized, less their float reference.
#include <algorithm>
#include <functional>

#include "kernels/constants/dequantize_constant.h"
#include "kernels/element_types.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_numeric_verify {
namespace {

constexpr int kInput = 0;
constexpr int kReference = 1;

using Stored = TypeList<std::int8_t, std::uint8_t, std::int16_t>;

template <class T>
std::unique_ptr<Kernel> verifying_kernel(StoredGrid grid) {
  return make_kernel([grid](EvalContext& eval) -> Status {
    const auto scale = static_cast<float>(grid.scale);
    const auto in = eval.in<T>(kInput);
    const auto reference = eval.in<float>(kReference);
    const auto out = eval.out<float>(0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = scale * static_cast<float>(static_cast<std::int32_t>(in[i]) - grid.zero_point) - reference[i];
    }
    return {};
  });
}

/// Weights: their real values, whatever their scales, are known now.
Result<std::unique_ptr<Kernel>> constant_kernel(const PrepareContext& context) {
  VISQ_ASSIGN(auto real, dequantize_constant(*context.input(kInput).info, context.place()));
  return make_kernel([real = std::move(real)](EvalContext& eval) -> Status {
    std::transform(real.begin(), real.end(), eval.in<float>(kReference).begin(), eval.out<float>(0).begin(), std::minus<>());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kReference, "the reference", {DType::kFloat32}));
  const Tensor& input = context.input(kInput);
  if (context.input(kReference).shape.elements() != input.shape.elements()) {
    return context.fail("the reference has the shape {}, expected {}", to_string(context.input(kReference).shape), to_string(input.shape));
  }
  VISQ_TRY(context.set_output(0, DType::kFloat32, input.shape));
  if (input.info->is_constant) return constant_kernel(context);
  VISQ_TRY(expect_per_tensor(context, input, "the input"));
  return for_type(context, kInput, Stored(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return verifying_kernel<T>(stored_grid(input));
  });
}

constexpr OpDef kDefinitions[] = {{.name = "NumericVerify", .prepare = prepare, .types = Stored::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_numeric_verify
