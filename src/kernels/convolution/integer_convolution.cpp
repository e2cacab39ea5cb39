#include "kernels/convolution/integer_convolution.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/alignment.h"
#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/constants/row_quantization.h"
#include "kernels/convolution/library_sums.h"
#include "kernels/convolution/sliding_window.h"
#include "kernels/convolution/window_sums.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionShape;

/// Weights relative to their zero point.
std::vector<std::int16_t> centered_filter(const Tensor& filter, std::int32_t zero_point) {
  std::vector<std::int16_t> values(as_size(filter.elements()));
  center(filter, zero_point, 0, filter.elements(), values.data());
  return values;
}

/// The same while preparing: nothing where the filter is computed at run time.
std::optional<std::vector<std::int16_t>> known_filter(const PrepareContext& context, const ConvolutionSpec& spec, std::int32_t zero_point) {
  const Tensor& filter = context.input(spec.slots.filter);
  if (filter.data == nullptr) return std::nullopt;
  return centered_filter(filter, zero_point);
}

/// A block of sums of one image.
template <class Sum>
struct Block {
  const Sum* sums;
  std::int64_t image, first, count;  ///< output pixels
  const float* steps;                ///< hybrid: real value of one step of the input, per image or per pixel
};

/// Image by image: brings the input to int16, sums up block by block, and finishes each block.
template <class Sum>
class SumKernel : public Kernel {
 public:
  /// `filter`: centered; nothing where it is computed at run time.
  SumKernel(const ConvolutionSpec& spec, std::int32_t filter_zero, const std::optional<std::vector<std::int16_t>>& filter)
      : spec_(spec), filter_zero_(filter_zero) {
    if (filter) windows_ = make_window_sums<Sum>(spec.shape, spec.layout, *filter);
  }

  Status eval(EvalContext& context) const override {
    std::unique_ptr<WindowSums<Sum>> computed;
    if (windows_ == nullptr) {
      computed = make_window_sums<Sum>(spec_.shape, spec_.layout, centered_filter(context.input(spec_.slots.filter), filter_zero_));
    }
    const WindowSums<Sum>& windows = windows_ ? *windows_ : *computed;
    const ConvolutionShape& shape = spec_.shape;
    const std::int64_t pixels = shape.height.out * shape.width.out;
    const std::int64_t block = std::min(windows.block(), pixels);
    const auto in_pixels = as_size(shape.height.in * shape.width.in);
    const std::size_t image_bytes = align_up(in_pixels * as_size(shape.in_channels) * sizeof(std::int16_t) + kReadBehindEnd);
    const std::size_t step_bytes = align_up(in_pixels * sizeof(float));
    const std::size_t sum_bytes = align_up(as_size(block * shape.out_channels) * sizeof(Sum));
    std::byte* scratch = context.scratch(image_bytes + step_bytes + sum_bytes + windows.scratch_bytes());
    auto* image = reinterpret_cast<std::int16_t*>(scratch);
    auto* steps = reinterpret_cast<float*>(scratch + image_bytes);
    auto* sums = reinterpret_cast<Sum*>(scratch + image_bytes + step_bytes);
    for (std::int64_t i = 0; i < shape.batch; ++i) {
      read_image(context.input(spec_.slots.input), i, image, steps);
      for (std::int64_t first = 0; first < pixels; first += block) {
        const std::int64_t count = std::min(block, pixels - first);
        windows.run(image, first, count, scratch + image_bytes + step_bytes + sum_bytes, sums);
        finish(context, {sums, i, first, count, steps});
      }
    }
    return {};
  }

 protected:
  virtual void read_image(const Tensor& input, std::int64_t image, std::int16_t* centered, float* steps) const = 0;
  virtual void finish(EvalContext& context, const Block<Sum>& block) const = 0;

  const ConvolutionSpec& spec() const { return spec_; }
  std::int64_t image_elements() const { return spec_.shape.height.in * spec_.shape.width.in * spec_.shape.in_channels; }
  /// Where a block's first result stands in the output.
  std::int64_t offset(const Block<Sum>& block) const {
    return (block.image * spec_.shape.height.out * spec_.shape.width.out + block.first) * spec_.shape.out_channels;
  }

 private:
  static constexpr std::size_t kReadBehindEnd = 64;
  ConvolutionSpec spec_;
  std::int32_t filter_zero_;
  std::unique_ptr<WindowSums<Sum>> windows_;  ///< null where the filter is computed at run time
};

/// Stored integers in, stored integers out.
template <class Sum>
class StoredKernel final : public SumKernel<Sum> {
 public:
  StoredKernel(const ConvolutionSpec& spec, std::int32_t input_zero, std::int32_t filter_zero,
               const std::optional<std::vector<std::int16_t>>& filter, StoredResult<Sum> result)
      : SumKernel<Sum>(spec, filter_zero, filter), input_zero_(input_zero), result_(std::move(result)) {}

 protected:
  void read_image(const Tensor& input, std::int64_t image, std::int16_t* centered, float*) const override {
    center(input, input_zero_, image * this->image_elements(), this->image_elements(), centered);
  }

  void finish(EvalContext& context, const Block<Sum>& block) const override {
    result_.write(context, block.sums, block.count, this->offset(block));
  }

 private:
  std::int32_t input_zero_;
  StoredResult<Sum> result_;
};

/// out[p, c] = sums[p, c] * step * scales[c] + bias[c]; the products in the order that the rules say.
VISQ_CPU_CLONES void scale_to_real(const Block<std::int32_t>& block, const IntegerRules& rules, const std::vector<float>& scales,
                                   const float* bias, float* out) {
  const std::size_t channels = scales.size();
  for (std::int64_t p = 0; p < block.count; ++p, out += channels) {
    const std::int32_t* sums = block.sums + as_size(p) * channels;
    const float step = block.steps[rules.scale_per_pixel ? block.first + p : 0];
    if (rules.filter_scale_first) {
      for (std::size_t c = 0; c < channels; ++c) out[c] = static_cast<float>(sums[c]) * scales[c] * step;
    } else {
      for (std::size_t c = 0; c < channels; ++c) out[c] = static_cast<float>(sums[c]) * (step * scales[c]);
    }
    if (bias == nullptr) continue;
    for (std::size_t c = 0; c < channels; ++c) out[c] += bias[c];
  }
}

/// Reals quantized on the fly in, reals out.
class HybridKernel final : public SumKernel<std::int32_t> {
 public:
  HybridKernel(const PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules, std::span<const double> scales)
      : SumKernel(spec, 0, known_filter(context, spec, 0)), rules_(rules), scales_(scales.begin(), scales.end()) {}

 protected:
  void read_image(const Tensor& input, std::int64_t image, std::int16_t* centered, float* steps) const override {
    const float* values = input.values<float>().data() + image * image_elements();
    const std::int64_t row = rules_.scale_per_pixel ? spec().shape.in_channels : image_elements();
    for (std::int64_t first = 0; first < image_elements(); first += row) {
      *steps++ = center_row(values + first, as_size(row), rules_.asymmetric, centered + first).scale;
    }
  }

  void finish(EvalContext& context, const Block<std::int32_t>& block) const override {
    const int slot = spec().slots.bias;
    float* out = context.out<float>(0).data() + offset(block);
    scale_to_real(block, rules_, scales_, context.has_input(slot) ? context.in<float>(slot).data() : nullptr, out);
    apply(spec().activation, std::span(out, as_size(block.count) * scales_.size()));
  }

 private:
  IntegerRules rules_;
  std::vector<float> scales_;  ///< of the filter, per output channel
};

Status check_operands(const PrepareContext& context, const ConvolutionSpec& spec) {
  const Tensor& filter = context.input(spec.slots.filter);
  if (!kCentered.has(filter.dtype) || filter.info == nullptr) return context.unsupported("filter has type {}", name(filter.dtype));
  const int bias = spec.slots.bias;
  if (context.has_input(bias) && context.input(bias).elements() != spec.shape.out_channels) {
    return context.fail("bias has {} elements, expected {}", context.input(bias).elements(), spec.shape.out_channels);
  }
  return check_map_sizes(context, spec.shape);
}

Result<std::vector<double>> filter_scales(const PrepareContext& context, const ConvolutionSpec& spec) {
  return channel_scales(context, context.input(spec.slots.filter), "filter", spec.slots.channel_axis, spec.shape.out_channels);
}

/// input scale * filter scale / output scale.
Result<std::vector<double>> sum_factors(const PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  const Tensor& input = context.input(spec.slots.input);
  VISQ_TRY(expect_per_tensor(context, input, "the input"));
  VISQ_TRY(expect_per_tensor(context, context.output(0), "the output"));
  VISQ_ASSIGN(std::vector<double> factors, filter_scales(context, spec));
  const double in = stored_grid(input).scale, out = stored_grid(context.output(0)).scale;
  const bool in_float = rules.float_product || (input.dtype == DType::kUInt8 && rules.scaling == Scaling::kFixedPoint);
  for (double& factor : factors) {
    factor = (in_float ? static_cast<double>(static_cast<float>(in) * static_cast<float>(factor)) : in * factor) / out;
  }
  return factors;
}

/// Whether the filter's zero point counts.
Result<std::int32_t> filter_zero_point(const PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  const Tensor& filter = context.input(spec.slots.filter);
  const bool counts = rules.filter_zero_point || filter.dtype == DType::kUInt8;
  if (!counts || filter.info->quantization.per_channel()) return 0;
  return centering_zero_point(context, filter, "filter");
}

template <class Sum>
Result<std::unique_ptr<Kernel>> make_stored(const PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  VISQ_ASSIGN(const auto factors, sum_factors(context, spec, rules));
  VISQ_ASSIGN(const std::int32_t input_zero, centering_zero_point(context, context.input(spec.slots.input), "the input"));
  VISQ_ASSIGN(const std::int32_t filter_zero, filter_zero_point(context, spec, rules));
  VISQ_ASSIGN(const StoredRange range, stored_range(context, context.output(0), spec.activation));
  StoredResult<Sum> result(context, spec, OutputStage<Sum>(rules.scaling, factors, stored_grid(context.output(0)).zero_point, range));
  const auto filter = known_filter(context, spec, filter_zero);
  if constexpr (std::is_same_v<Sum, std::int32_t>) {
    auto kernel = filter ? make_library_sums(context, spec, input_zero, *filter, result) : nullptr;
    if (kernel != nullptr) return kernel;
  }
  return std::unique_ptr<Kernel>(std::make_unique<StoredKernel<Sum>>(spec, input_zero, filter_zero, filter, std::move(result)));
}

/// int16 activations: sums of 64 bits, unless the bias is stated to have 32.
bool sums_are_wide(const PrepareContext& context, const ConvolutionSpec& spec) {
  if (context.input(spec.slots.input).dtype != DType::kInt16) return false;
  if (context.has_input(spec.slots.bias)) return context.input(spec.slots.bias).dtype == DType::kInt64;
  return context.attributes().text("quantized_bias_type") != "INT32";
}

Result<std::unique_ptr<Kernel>> make_hybrid(PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  if (context.has_input(spec.slots.bias)) VISQ_TRY(context.expect_type(spec.slots.bias, "bias", {DType::kFloat32}));
  VISQ_ASSIGN(const auto scales, filter_scales(context, spec));
  return std::unique_ptr<Kernel>(std::make_unique<HybridKernel>(context, spec, rules, scales));
}

/// The output's type: the input's, but that FULLY_CONNECTED makes int16 of uint8 too.
Status declare_output(PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  const DType in = context.input(spec.slots.input).dtype;
  const bool widens = rules.scaling == Scaling::kReal && in == DType::kUInt8 && context.output(0).info->dtype == DType::kInt16;
  return context.set_output(0, widens ? DType::kInt16 : in, spec.output);
}

}  // namespace

Result<std::unique_ptr<Kernel>> make_integer_convolution(PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules) {
  VISQ_TRY(declare_output(context, spec, rules));
  VISQ_TRY(check_operands(context, spec));
  if (spec.shape.out_pixels() == 0 || spec.shape.out_channels == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  if (context.known(spec.slots.filter)) context.mark_packed(spec.slots.filter);
  if (context.input(spec.slots.input).dtype == DType::kFloat32) return make_hybrid(context, spec, rules);
  const bool wide = rules.wide_sums || sums_are_wide(context, spec);
  if (context.has_input(spec.slots.bias)) {
    VISQ_TRY(wide ? context.expect_type(spec.slots.bias, "bias", {DType::kInt64, DType::kInt32})
                  : context.expect_type(spec.slots.bias, "bias", {DType::kInt32}));
  }
  return wide ? make_stored<std::int64_t>(context, spec, rules) : make_stored<std::int32_t>(context, spec, rules);
}

}  // namespace visq::kernels
