#include "kernels/stored.h"

namespace visq::kernels {

Status expect_per_tensor(const PrepareContext& context, const Tensor& tensor, std::string_view role) {
  const auto& scales = tensor.info->quantization.scale;
  if (scales.size() != 1) return context.fail("{} has {} scales, expected 1", role, scales.size());
  if (!std::isfinite(scales[0]) || scales[0] <= 0) return context.fail("{} has the scale {}, expected one above 0", role, scales[0]);
  return {};
}

Status expect_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role) {
  VISQ_TRY(expect_per_tensor(context, tensor, role));
  const std::int32_t zero_point = stored_grid(tensor).zero_point;
  if (tensor.info->dtype != DType::kInt16 || zero_point == 0) return {};
  return context.unsupported("{} is int16 with the zero point {}, expected 0", role, zero_point);
}

Status expect_grids(const PrepareContext& context, int inputs) {
  VISQ_TRY(context.expect_inputs(inputs, inputs));
  VISQ_TRY(context.expect_outputs(1));
  for (int slot = 0; slot < inputs; ++slot) {
    const std::string role = inputs == 1 ? "the input" : fmt::format("input {}", slot);
    VISQ_TRY(context.expect_same_type(slot, role, 0));
    VISQ_TRY(expect_grid(context, context.input(slot), role));
  }
  return expect_grid(context, context.output(0), "the output");
}

Status expect_same_grid(const PrepareContext& context, const Tensor& tensor, std::string_view role, const Tensor& output) {
  if (!tensor.quantized() && !output.quantized()) return {};
  VISQ_TRY(expect_per_tensor(context, tensor, role));
  VISQ_TRY(expect_per_tensor(context, output, "the output"));
  const StoredGrid from = stored_grid(tensor), to = stored_grid(output);
  if (from.scale == to.scale && from.zero_point == to.zero_point) return {};
  return context.unsupported("{} has scale {} and zero point {}, the output {} and {}", role, from.scale, from.zero_point, to.scale,
                             to.zero_point);
}

}  // namespace visq::kernels
