#include "kernels/stored.h"

namespace visq::kernels {

Status expect_per_tensor(const PrepareContext& context, const Tensor& tensor, std::string_view role) {
  const auto& scales = tensor.info->quantization.scale;
  if (scales.size() != 1) return context.fail("{} has {} scales, expected 1", role, scales.size());
  if (!std::isfinite(scales[0]) || scales[0] <= 0) return context.fail("{} has the scale {}, expected one above 0", role, scales[0]);
  return {};
}

}  // namespace visq::kernels
