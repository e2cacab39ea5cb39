// Conv, ConvTranspose of ONNX: maps [batch, channels, …] with one to three axes of space, as they stand.
#include <limits>
#include <optional>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/convolution/primitive_kernel.h"
#include "kernels/convolution/sliding_window.h"
#include "kernels/multiply_adds.h"
#include "kernels/onnx/window.h"

namespace visq::kernels::ops_onnx_conv {
namespace {

using backend::ConvolutionShape;

constexpr int kInput = 0, kFilter = 1, kBias = 2;
constexpr int kChannels = 1;

class ConvKernel final : public PrimitiveKernel {
 public:
  /// Filter and bias are read at every run where they are not packed.
  ConvKernel(std::unique_ptr<backend::OneDnnPrimitive> primitive, bool filter_packed, bool reads_bias)
      : PrimitiveKernel(std::move(primitive)), filter_packed_(filter_packed), reads_bias_(reads_bias) {}

  Status eval(EvalContext& context) const override {
    return run(context, {.source = context.in<float>(kInput).data(),
                         .target = context.out<float>(0).data(),
                         .scratch = context.scratch(primitive_scratch()),
                         .filter = filter_packed_ ? nullptr : context.in<float>(kFilter).data(),
                         .bias = reads_bias_ ? context.in<float>(kBias).data() : nullptr});
  }
  std::size_t scratch_bytes() const override { return primitive_scratch(); }

 private:
  bool filter_packed_, reads_bias_;
};

/// The window as the attribute says, which may be left out, and must be the filter's.
Result<std::vector<std::int64_t>> window_of(const PrepareContext& context, const Shape& filter) {
  const std::vector<std::int64_t> sizes(filter.dims().begin() + 2, filter.dims().end());
  const auto given = context.attributes().integers("kernel_shape");
  if (!given.empty() && !std::ranges::equal(given, sizes)) {
    return context.fail("kernel_shape is {}, the filter {}", to_string(Shape(given)), to_string(filter));
  }
  return sizes;
}

/// With a third axis of space before the others, or without.
struct SpaceShape {
  ConvolutionShape shape;
  std::optional<backend::ConvolutionAxis> depth = std::nullopt;
};

/// One map of three axes must be as small as the libraries' integers are.
Status check_volume(const PrepareContext& context, const SpaceShape& all) {
  VISQ_TRY(check_map_sizes(context, all.shape));
  if (!all.depth) return {};
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  const auto& [shape, depth] = all;
  const auto in = checked_elements(std::initializer_list<std::int64_t>{shape.in_channels, depth->in, shape.height.in, shape.width.in});
  const auto out = checked_elements(std::initializer_list<std::int64_t>{shape.out_channels, depth->out, shape.height.out, shape.width.out});
  if (!in || !out || std::max(*in, *out) > kLargest || depth->extent() + depth->in + depth->before > kLargest) {
    return context.unsupported("maps of {} to {} elements are too large", in.value_or(-1), out.value_or(-1));
  }
  return {};
}

Result<SpaceShape> convolution_shape(const PrepareContext& context, bool transposed) {
  const Shape& in = context.input(kInput).shape;
  const Shape& filter = context.input(kFilter).shape;
  if (in.rank() != filter.rank()) return context.fail("input has rank {}, filter {}", in.rank(), filter.rank());
  if (in.rank() < 3 || in.rank() > 5) return context.unsupported("maps of rank {}", in.rank());
  const std::int64_t groups = context.attributes().integer("group", 1);
  const std::int64_t inner = filter[1];
  const std::int64_t channels = in[kChannels];
  const bool fits =
      groups >= 1 && channels % groups == 0 && filter[0] % groups == 0 && (transposed ? filter[0] == channels : inner == channels / groups);
  if (!fits) return context.fail("input {}, filter {} and {} groups do not fit together", to_string(in), to_string(filter), groups);
  VISQ_ASSIGN(const auto window, window_of(context, filter));
  VISQ_ASSIGN(const auto axes, transposed ? slide_onnx_transposed(context, window) : slide_onnx(context, window));
  SpaceShape all{.shape = {.batch = in[0],
                           .in_channels = channels,
                           .out_channels = transposed ? inner * groups : filter[0],
                           .groups = groups,
                           .height = axes.size() > 1 ? axes[axes.size() - 2] : backend::ConvolutionAxis(),
                           .width = axes.back(),
                           .transposed = transposed}};
  if (axes.size() > 2) all.depth = axes[0];
  VISQ_TRY(check_volume(context, all));
  return all;
}

/// Packs what is constant.
Result<std::unique_ptr<Kernel>> make_kernel_for(PrepareContext& context, const SpaceShape& all) {
  const ConvolutionShape& shape = all.shape;
  backend::OneDnnConvolution request{
      .shape = shape, .depth = all.depth, .layout = backend::FilterLayout::kOnnx, .maps = backend::MapLayout::kNchw};
  std::vector<float> filter, bias;
  const bool packed = context.known(kFilter);
  if (packed) {
    VISQ_ASSIGN(filter, context.real_constant(kFilter, "the filter"));
    context.mark_packed(kFilter);
    request.filter = filter.data();
  }
  if (context.has_input(kBias)) {
    VISQ_TRY(context.expect_type(kBias, "the bias", {DType::kFloat32}));
    if (context.input(kBias).shape != Shape{shape.out_channels}) {
      return context.fail("bias has the shape {}, expected [{}]", to_string(context.input(kBias).shape), shape.out_channels);
    }
    request.bias_at_run_time = !context.known(kBias);
    if (context.known(kBias)) {
      VISQ_ASSIGN(bias, context.real_constant(kBias, "the bias"));
      request.bias = bias;
    }
  }
  auto primitive = backend::make_onednn_convolution(request);
  if (primitive == nullptr) return context.unsupported("no kernel library can run this shape");
  return std::unique_ptr<Kernel>(std::make_unique<ConvKernel>(std::move(primitive), packed, request.bias_at_run_time));
}

template <bool kTransposed>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kFilter, "the filter", {DType::kFloat32}));
  VISQ_ASSIGN(const SpaceShape all, convolution_shape(context, kTransposed));
  const ConvolutionShape& shape = all.shape;
  Shape out{shape.batch, shape.out_channels};
  if (all.depth) out.push_back(all.depth->out);
  if (context.input(kInput).shape.rank() >= 4) out.push_back(shape.height.out);
  out.push_back(shape.width.out);
  VISQ_TRY(context.set_output(0, DType::kFloat32, out));
  if (out.elements() == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  return make_kernel_for(context, all);
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Conv",
     .prepare = prepare<false>,
     .types = {DType::kFloat32},
     .packs = kFilter,
     .weights = WeightSlots{},
     .multiply_adds = filter_multiply_adds},
    {.name = "ai.onnx.ConvTranspose",
     .prepare = prepare<true>,
     .types = {DType::kFloat32},
     .packs = kFilter,
     .weights = WeightSlots{.channel_axis = 1},
     .multiply_adds = spreading_multiply_adds},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_conv
