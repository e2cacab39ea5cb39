// QUANTIZE and DEQUANTIZE in integer runs: float to stored integers, stored integers to float, and from one grid to another in fixed
// point.
#include "kernels/element_types.h"
#include "kernels/fixed_point.h"
#include "kernels/stored.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;

using Stored = TypeList<std::int8_t, std::uint8_t, std::int16_t, std::int32_t>;

template <class Out>
std::unique_ptr<Kernel> quantizing_kernel(StoredGrid grid) {
  return make_kernel([scale = static_cast<float>(grid.scale), zero_point = grid.zero_point](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<Out>(0);
    std::transform(in.begin(), in.end(), out.begin(), [=](float x) { return to_stored<Out>(x, scale, zero_point); });
    return {};
  });
}

template <class In, class Out>
std::unique_ptr<Kernel> requantizing_kernel(StoredGrid from, StoredGrid to) {
  const Multiplier multiplier = to_multiplier(from.scale / to.scale);
  return make_kernel([multiplier, in_zero = from.zero_point, out_zero = to.zero_point](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(kInput);
    const auto out = eval.out<Out>(0);
    std::transform(in.begin(), in.end(), out.begin(), [=](In q) {
      return saturate<Out>(std::int64_t{multiply(static_cast<std::int32_t>(q) - in_zero, multiplier)} + out_zero);
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_quantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  const Tensor& output = context.output(0);
  VISQ_TRY(expect_per_tensor(context, output, "the output"));
  VISQ_TRY(context.set_output(0, output.info->dtype, input.shape));
  return for_dtype(context, output.info->dtype, Stored(), [&]<class Out>(std::type_identity<Out>) -> Result<std::unique_ptr<Kernel>> {
    if (input.dtype == DType::kFloat32) return quantizing_kernel<Out>(stored_grid(output));
    VISQ_TRY(expect_per_tensor(context, input, "the input"));
    return for_type(context, kInput, Stored(), [&]<class In>(std::type_identity<In>) -> Result<std::unique_ptr<Kernel>> {
      return requantizing_kernel<In, Out>(stored_grid(input), stored_grid(output));
    });
  });
}

template <class In>
std::unique_ptr<Kernel> dequantizing_kernel(StoredGrid grid) {
  return make_kernel([scale = static_cast<float>(grid.scale), zero_point = grid.zero_point](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(kInput);
    const auto out = eval.out<float>(0);
    std::transform(in.begin(), in.end(), out.begin(),
                   [=](In q) { return scale * static_cast<float>(static_cast<std::int32_t>(q) - zero_point); });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_dequantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  VISQ_TRY(expect_per_tensor(context, input, "the input"));
  VISQ_TRY(context.set_output(0, DType::kFloat32, input.shape));
  return for_type(context, kInput, Stored(), [&]<class In>(std::type_identity<In>) -> Result<std::unique_ptr<Kernel>> {
    return dequantizing_kernel<In>(stored_grid(input));
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "QUANTIZE",
     .prepare = prepare_quantize,
     .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32}},
    {.name = "DEQUANTIZE", .prepare = prepare_dequantize, .types = Stored::dtypes()},
};

}  // namespace

std::span<const OpDef> integer_quantize() { return kDefinitions; }

}  // namespace visq::kernels
