#include "kernels/backend/xnnpack.h"

#include <fmt/core.h>
#include <unistd.h>
#include <xnnpack.h>

#include <cstddef>
#include <cstdint>

#include "core/as_size.h"
#include "core/error.h"

namespace visq::kernels::backend {
namespace {

struct Deleter {
  void operator()(xnn_operator* op) const { xnn_delete_operator(op); }
};

class Operator final : public XnnpackOperator {
 public:
  Operator(xnn_operator_t op, const ConvolutionShape& shape) : op_(op), shape_(shape) {}

  Status run(const float* source, float* target) override {
    auto status = xnn_setup_convolution2d_nhwc_f32(op_.get(), as_size(shape_.batch), as_size(shape_.height.in), as_size(shape_.width.in),
                                                   source, target, nullptr);
    if (status == xnn_status_success) status = xnn_run_operator(op_.get(), nullptr);
    if (status != xnn_status_success) return internal_error("XNNPACK failed with status {}", static_cast<int>(status));
    return {};
  }

 private:
  std::unique_ptr<xnn_operator, Deleter> op_;
  ConvolutionShape shape_;
};

/// Its library of CPU facts complains on stderr where there is no /proc.
bool available() {
  static const bool initialized = ::access("/proc/cpuinfo", R_OK) == 0 && xnn_initialize(nullptr) == xnn_status_success;
  return initialized;
}

std::uint32_t u32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

std::unique_ptr<XnnpackOperator> make_xnnpack_convolution(const XnnpackConvolution& convolution) {
  const ConvolutionShape& shape = convolution.shape;
  const ConvolutionAxis& height = shape.height;
  const ConvolutionAxis& width = shape.width;
  if (!available() || shape.transposed || height.after < 0 || width.after < 0) return nullptr;
  const std::uint32_t flags = convolution.layout == FilterLayout::kHwo ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0;
  const auto in_channels = as_size(shape.in_channels);
  const auto out_channels = as_size(shape.out_channels);
  const auto groups = as_size(shape.groups);
  xnn_operator_t op = nullptr;
  const auto status = xnn_create_convolution2d_nhwc_f32(
      u32(height.before), u32(width.after), u32(height.after), u32(width.before), u32(height.kernel), u32(width.kernel), u32(height.stride),
      u32(width.stride), u32(height.dilation), u32(width.dilation), u32(shape.groups), in_channels / groups, out_channels / groups,
      in_channels, out_channels, convolution.filter, convolution.bias, convolution.clamp.low, convolution.clamp.high, flags, &op);
  if (status != xnn_status_success) return nullptr;
  return std::make_unique<Operator>(op, shape);
}

std::string xnnpack_version() {
  const std::string_view package = VISQ_XNNPACK_PACKAGE_VERSION;
  const std::string version = package.empty() ? "of a version that it does not state" : fmt::format("{} (its package's version)", package);
  return fmt::format("XNNPACK {}, chooses its instructions by itself", version);
}

}  // namespace visq::kernels::backend
