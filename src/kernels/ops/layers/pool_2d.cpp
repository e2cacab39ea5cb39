// AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D over windows of NHWC maps. Padding is left out of averages and their counts.
#include <algorithm>
#include <cmath>

#include "kernels/activation.h"
#include "kernels/convolution/primitive_kernel.h"
#include "kernels/convolution/sliding_window.h"

namespace visq::kernels::ops_pool_2d {
namespace {

constexpr int kInput = 0;

class PoolKernel final : public PrimitiveKernel {
 public:
  /// `roots`: square root of the average of squares instead of the average.
  PoolKernel(std::unique_ptr<backend::OneDnnPrimitive> primitive, Activation activation, bool roots)
      : PrimitiveKernel(std::move(primitive)), activation_(activation), roots_(roots) {}

  Status eval(EvalContext& context) const override {
    const auto in = context.in<float>(kInput);
    const auto out = context.out<float>(0);
    const std::size_t own = primitive_scratch();
    std::byte* scratch = context.scratch(own + (roots_ ? in.size() * sizeof(float) : 0));
    const float* source = in.data();
    if (roots_) {
      auto* squares = reinterpret_cast<float*>(scratch + own);
      std::transform(in.begin(), in.end(), squares, [](float value) { return value * value; });
      source = squares;
    }
    VISQ_TRY(run(context, {.source = source, .target = out.data(), .scratch = scratch}));
    if (roots_) std::transform(out.begin(), out.end(), out.begin(), [](float value) { return std::sqrt(value); });
    apply(activation_, out);
    return {};
  }

 private:
  Activation activation_;
  bool roots_;
};

Result<std::unique_ptr<Kernel>> prepare_pool(PrepareContext& context, bool maximum, bool roots) {
  VISQ_ASSIGN(const backend::ConvolutionShape shape, pooling_shape(context));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_TRY(check_map_sizes(context, shape));
  VISQ_TRY(context.set_output(0, DType::kFloat32, {shape.batch, shape.height.out, shape.width.out, shape.out_channels}));
  if (context.output(0).elements() == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  auto primitive = backend::make_onednn_pooling(shape, maximum);
  if (primitive == nullptr) return context.unsupported("no kernel library can run this shape");
  return std::unique_ptr<Kernel>(std::make_unique<PoolKernel>(std::move(primitive), activation, roots));
}

Result<std::unique_ptr<Kernel>> prepare_average(PrepareContext& context) { return prepare_pool(context, false, false); }
Result<std::unique_ptr<Kernel>> prepare_max(PrepareContext& context) { return prepare_pool(context, true, false); }
Result<std::unique_ptr<Kernel>> prepare_l2(PrepareContext& context) { return prepare_pool(context, false, true); }

constexpr OpDef kDefinitions[] = {
    {.name = "AVERAGE_POOL_2D",
     .prepare = prepare_average,
     .types = {DType::kFloat32},
     .kind = OpKind::kAveragePool,
     .keeps_codes = DTypes::all(),
     .fuses_activation = true},
    {.name = "MAX_POOL_2D", .prepare = prepare_max, .types = {DType::kFloat32}, .keeps_codes = DTypes::all(), .fuses_activation = true},
    {.name = "L2_POOL_2D", .prepare = prepare_l2, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_pool_2d
