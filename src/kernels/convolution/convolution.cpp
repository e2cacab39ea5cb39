#include "kernels/convolution/convolution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/alignment.h"
#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "core/finite.h"
#include "kernels/backend/float_convolution.h"
#include "kernels/backend/folded_columns.h"
#include "kernels/convolution/depthwise_int8.h"
#include "kernels/convolution/integer_sums.h"
#include "kernels/convolution/primitive_kernel.h"
#include "kernels/convolution/sliding_window.h"
#include "kernels/convolution/tiled_convolution.h"

namespace visq::kernels {
namespace {

using backend::Clamp;
using backend::ConvolutionShape;
using backend::FloatConvolution;
using backend::OneDnnOperands;
using backend::OneDnnPrimitive;

/// values[p, c] = clamp(scale[c] * values[p, c])
VISQ_CPU_CLONES void scale_sums(const float* scales, std::size_t channels, Clamp clamp, float* values, std::size_t pixels) {
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < channels; ++c) {
      float& value = values[p * channels + c];
      value = std::min(std::max(scales[c] * value, clamp.low), clamp.high);
    }
  }
}

/// values[p, c] = clamp(scale[c] * (values[p, c] + offset[c] * window_sum[p]))
VISQ_CPU_CLONES void correct_sums(const float* scales, const float* offsets, const float* window_sums, std::size_t channels, Clamp clamp,
                                  float* values, std::size_t pixels) {
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < channels; ++c) {
      float& value = values[p * channels + c];
      value = std::min(std::max(scales[c] * (value + offsets[c] * window_sums[p]), clamp.low), clamp.high);
    }
  }
}

/// The part of an activation that does not fit into the library's call.
void apply_rest(Activation activation, bool clamped, const Tensor& output) {
  if (!clamped || !is_clamp(activation)) apply(activation, output.mutable_values<float>());
}

/// Real values in, real values out.
class FloatKernel final : public Kernel {
 public:
  FloatKernel(std::unique_ptr<FloatConvolution> convolution, const ConvolutionSpec& spec, bool clamped)
      : convolution_(std::move(convolution)), spec_(spec), clamped_(clamped) {}

  struct State final : KernelState {
    backend::FloatConvolutionCall call;
  };
  std::unique_ptr<KernelState> make_state() const override {
    auto state = std::make_unique<State>();
    state->call = convolution_->make_call();
    return state;
  }

  Status eval(EvalContext& context) const override {
    Tensor& output = context.output(0);
    if (output.elements() == 0) return {};
    const auto values = [&](int slot) { return context.has_input(slot) ? context.in<float>(slot).data() : nullptr; };
    VISQ_TRY(convolution_->run(context.state<State>().call, {.source = values(spec_.slots.input),
                                                             .target = output.mutable_values<float>().data(),
                                                             .scratch = context.scratch(scratch_bytes()),
                                                             .filter = values(spec_.slots.filter),
                                                             .bias = values(spec_.slots.bias)}));
    apply_rest(spec_.activation, clamped_, output);
    return {};
  }
  std::size_t scratch_bytes() const override { return convolution_->scratch_bytes(); }

 private:
  std::unique_ptr<FloatConvolution> convolution_;
  ConvolutionSpec spec_;
  bool clamped_;
};

/// Stored integers in, real values out, by an int8 kernel of the library.
class Int8Kernel final : public PrimitiveKernel {
 public:
  Int8Kernel(std::unique_ptr<OneDnnPrimitive> primitive, const ConvolutionSpec& spec, IntegerSums sums, std::vector<float> offsets)
      : PrimitiveKernel(std::move(primitive)), spec_(spec), sums_(std::move(sums)), offsets_(std::move(offsets)) {}

  Status eval(EvalContext& context) const override {
    Tensor& output = context.output(0);
    if (output.elements() == 0) return {};
    const std::byte* codes = context.input(spec_.slots.input).codes;
    float* values = output.mutable_values<float>().data();
    const std::size_t own = primitive_scratch();
    const auto pixels = as_size(spec_.shape.out_pixels());
    const std::size_t window_bytes = offsets_.empty() ? 0 : align_up(pixels * sizeof(float));
    const std::size_t map_bytes = offsets_.empty() ? 0 : input_pixels() * sizeof(std::int32_t);
    std::byte* scratch = context.scratch(own + window_bytes + map_bytes);
    VISQ_TRY(run(context, {.source = codes, .target = values, .scratch = scratch}));
    if (!offsets_.empty()) {
      auto* window_sums = reinterpret_cast<float*>(scratch + own);
      sum_windows(spec_.shape, sums_, codes, reinterpret_cast<std::int32_t*>(scratch + own + window_bytes), window_sums);
      correct_sums(sums_.scales.data(), offsets_.data(), window_sums, sums_.scales.size(), clamp_of(spec_.activation), values, pixels);
    }
    apply_rest(spec_.activation, true, output);
    return {};
  }

 private:
  std::size_t input_pixels() const { return as_size(spec_.shape.height.in * spec_.shape.width.in); }

  ConvolutionSpec spec_;
  IntegerSums sums_;            ///< without the filter, which is packed
  std::vector<float> offsets_;  ///< see Int8Filter
};

/// Stored integers in, real values out, the integers carried by float32.
class CarriedKernel final : public Kernel {
 public:
  CarriedKernel(std::unique_ptr<FloatConvolution> convolution, const ConvolutionSpec& spec, IntegerSums sums)
      : convolution_(std::move(convolution)), spec_(spec), sums_(std::move(sums)) {}

  std::unique_ptr<KernelState> make_state() const override {
    auto state = std::make_unique<FloatKernel::State>();
    state->call = convolution_->make_call();
    return state;
  }

  Status eval(EvalContext& context) const override {
    Tensor& output = context.output(0);
    if (output.elements() == 0) return {};
    const Tensor& input = context.input(spec_.slots.input);
    const auto count = as_size(input.elements());
    const std::size_t own = align_up(convolution_->scratch_bytes());
    std::byte* scratch = context.scratch(own + count * sizeof(float) + kReadBehindEnd);
    auto* centered = reinterpret_cast<float*>(scratch + own);
    float* values = output.mutable_values<float>().data();
    center_codes(sums_, input.codes, count, centered);
    VISQ_TRY(convolution_->run(context.state<FloatKernel::State>().call, {.source = centered, .target = values, .scratch = scratch}));
    scale_sums(sums_.scales.data(), sums_.scales.size(), clamp_of(spec_.activation), values, as_size(spec_.shape.out_pixels()));
    apply_rest(spec_.activation, true, output);
    return {};
  }

 private:
  static constexpr std::size_t kReadBehindEnd = 64;
  std::unique_ptr<FloatConvolution> convolution_;
  ConvolutionSpec spec_;
  IntegerSums sums_;  ///< without the filter, which is packed
};

/// Null where the library has no generated int8 kernel for the shape, or its sums would not be exact; then `sums` are as they were.
std::unique_ptr<Kernel> make_plain_int8(const ConvolutionSpec& spec, IntegerSums& sums) {
  const ConvolutionShape& shape = spec.shape;
  constexpr double kLargestInt32 = 2147483647;
  constexpr double kLargestCode = 255;  // also of int8, which some kernels shift into uint8
  if (!backend::exact_int8_sums() || shape.transposed) return nullptr;
  if (static_cast<double>(shape.taps()) * kLargestCode * kLargestCode > kLargestInt32) return nullptr;
  Int8Filter filter = to_int8(sums, shape, spec.layout);
  const bool corrected = !filter.offsets.empty();
  if (corrected && shape.groups != 1) return nullptr;
  auto primitive = backend::make_onednn_convolution({.shape = shape,
                                                     .layout = spec.layout,
                                                     .source = sums.source,
                                                     .source_zero_point = sums.source_zero_point,
                                                     .scales = corrected ? std::span<const float>() : sums.scales,
                                                     .filter = filter.values.data(),
                                                     .bias = sums.bias,
                                                     .clamp = corrected ? Clamp{} : clamp_of(spec.activation)});
  if (primitive == nullptr || !primitive->generated()) return nullptr;
  sums.drop_filter();
  return std::make_unique<Int8Kernel>(std::move(primitive), spec, std::move(sums), std::move(filter.offsets));
}

/// The same, by folded columns where they fit.
std::unique_ptr<Kernel> make_int8(const ConvolutionSpec& spec, IntegerSums& sums) {
  const auto folded = spec.layout == backend::FilterLayout::kOhwi ? backend::fold_columns(spec.shape) : std::nullopt;
  if (folded) {
    IntegerSums folded_sums = sums;
    folded_sums.filter = backend::fold_filter(std::span<const std::int16_t>(sums.filter), spec.shape, *folded);
    folded_sums.scales = backend::repeat_channels(sums.scales, spec.shape, *folded);
    folded_sums.bias = backend::repeat_channels(sums.bias, spec.shape, *folded);
    ConvolutionSpec computed = spec;
    computed.shape = *folded;
    if (auto kernel = make_plain_int8(computed, folded_sums)) return kernel;
  }
  return make_plain_int8(spec, sums);
}

std::unique_ptr<Kernel> make_carried(const ConvolutionSpec& spec, IntegerSums& sums) {
  if (sums.largest_sum >= kExactFloat) return nullptr;
  std::vector<float> filter(sums.filter.begin(), sums.filter.end());
  auto convolution = FloatConvolution::create(
      {.shape = spec.shape, .layout = spec.layout, .filter = filter, .own_filter = std::move(filter), .bias = sums.bias, .exact = true});
  if (convolution == nullptr) return nullptr;
  sums.drop_filter();
  return std::make_unique<CarriedKernel>(std::move(convolution), spec, std::move(sums));
}

/// Null where the operator must compute from real values.
Result<std::unique_ptr<Kernel>> make_integer(PrepareContext& context, const ConvolutionSpec& spec) {
  VISQ_ASSIGN(auto sums, read_integer_sums(context, spec.slots, spec.shape, spec.layout));
  if (!sums || !context.offers_codes(spec.slots.input)) return std::unique_ptr<Kernel>();
  const bool tiled = tiles_output(spec.shape);
  const ConvolutionSpec computed = tiled ? products_of_pixels(spec) : spec;
  if (tiled) {
    taps_first(sums->filter, spec.shape);
    repeat_for_taps(sums->scales, spec.shape);
    repeat_for_taps(sums->bias, spec.shape);
  }
  auto kernel = make_depthwise_int8(computed, *sums);
  if (kernel == nullptr) kernel = make_int8(computed, *sums);
  if (kernel == nullptr) kernel = make_carried(computed, *sums);
  if (kernel == nullptr) return kernel;
  context.read_codes(spec.slots.input);
  if (tiled) kernel = make_tiled(std::move(kernel), spec);
  return kernel;
}

/// A float32 constant as it stands in the model's file; empty where it must be converted first.
std::span<const float> in_model(const Tensor& tensor) {
  const TensorInfo* const info = tensor.info;
  if (info == nullptr || !info->is_constant || info->dtype != DType::kFloat32 || info->sparsity != nullptr) return {};
  if (reinterpret_cast<std::uintptr_t>(info->data.data()) % alignof(float) != 0) return {};
  return {reinterpret_cast<const float*>(info->data.data()), info->data.size() / sizeof(float)};
}

Result<std::unique_ptr<Kernel>> make_float(PrepareContext& context, const ConvolutionSpec& spec) {
  backend::FloatConvolutionRequest request{.shape = spec.shape, .layout = spec.layout};
  const auto own_filter = [&]() -> Status {
    VISQ_ASSIGN(request.own_filter, take_constant(context, spec.slots.filter, "filter"));
    request.filter = request.own_filter;
    return {};
  };
  VISQ_TRY(context.expect_type(spec.slots.filter, "filter", {DType::kFloat32}));
  if (context.known(spec.slots.filter)) {
    context.mark_packed(spec.slots.filter);
    request.filter = in_model(context.input(spec.slots.filter));
    if (request.filter.empty()) VISQ_TRY(own_filter());
  }
  if (context.has_input(spec.slots.bias)) {
    request.bias_at_run_time = !context.known(spec.slots.bias);
    if (request.bias_at_run_time) {
      VISQ_TRY(context.expect_type(spec.slots.bias, "bias", {DType::kFloat32}));
    } else {
      VISQ_ASSIGN(const Bias bias, read_bias(context, spec.slots, spec.shape.out_channels));
      request.bias = real_bias(bias, sum_steps(context, spec.slots, spec.shape.out_channels));
    }
  }
  // The libraries' clamps turn NaN into a number; a filter that holds some must show it.
  request.holds_nan = !all_finite(request.filter) || !all_finite(request.bias);
  const bool clamped = !request.holds_nan;
  if (clamped) request.clamp = clamp_of(spec.activation);
  const bool tiled = tiles_output(spec.shape) && !request.filter.empty() && !request.bias_at_run_time;
  const ConvolutionSpec computed = tiled ? products_of_pixels(spec) : spec;
  if (tiled) {
    request.shape = computed.shape;
    if (request.own_filter.empty()) VISQ_TRY(own_filter());
    taps_first(request.own_filter, spec.shape);
    repeat_for_taps(request.bias, spec.shape);
  }
  auto convolution = FloatConvolution::create(std::move(request));
  if (convolution == nullptr) return context.unsupported("no kernel library can run this shape");
  std::unique_ptr<Kernel> kernel = std::make_unique<FloatKernel>(std::move(convolution), computed, clamped);
  if (tiled) kernel = make_tiled(std::move(kernel), spec);
  return kernel;
}

}  // namespace

Result<std::vector<float>> take_constant(PrepareContext& context, int slot, std::string_view role) {
  context.mark_packed(slot);
  return context.real_constant(slot, role);
}

Result<std::unique_ptr<Kernel>> make_convolution(PrepareContext& context, const ConvolutionSpec& spec) {
  VISQ_TRY(context.set_output(0, DType::kFloat32, spec.output));
  VISQ_TRY(check_real_operands(context, spec));
  if (spec.shape.out_pixels() == 0 || spec.shape.out_channels == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  if (context.known(spec.slots.filter)) {
    VISQ_ASSIGN(auto kernel, make_integer(context, spec));
    if (kernel != nullptr) {
      context.mark_packed(spec.slots.filter);
      if (context.has_input(spec.slots.bias)) context.mark_packed(spec.slots.bias);
      return kernel;
    }
  }
  VISQ_ASSIGN(auto kernel, make_float(context, spec));
  if (context.has_input(spec.slots.bias) && context.known(spec.slots.bias)) context.mark_packed(spec.slots.bias);
  return kernel;
}

}  // namespace visq::kernels
