// CONV_3D and CONV_3D_TRANSPOSE, on maps [batch, depth, height, width, channels]: windows gathered into rows and multiplied by the filter,
// or pixels multiplied by the filter and scattered over windows.
#include <algorithm>
#include <array>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/activation.h"
#include "kernels/backend/onednn.h"
#include "kernels/convolution/ordered_sums.h"
#include "kernels/convolution/sliding_window.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_conv_3d {
namespace {

constexpr int kAxes = 3;

struct Volume {
  std::int64_t batch = 0, in_channels = 0, out_channels = 0;
  std::array<backend::ConvolutionAxis, kAxes> axes = {};  ///< depth, height, width
  int input = 0, filter = 1, bias = 2;                    ///< slots
  Activation activation = Activation::kNone;

  std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  std::int64_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  std::int64_t out_pixels() const { return axes[0].out * axes[1].out * axes[2].out; }
};

/// Rows of one product, so that they stay in the cache.
std::int64_t block_of(std::int64_t row_length) { return std::clamp<std::int64_t>(65536 / std::max<std::int64_t>(1, row_length), 1, 64); }

/// For a pixel of the side that windows slide over: calls visit(tap, pixel) for all its taps whose pixel of the other side, which has the
/// given sizes, is inside; and no other.
template <class Visit>
void for_each_tap(const Volume& volume, const std::array<std::int64_t, kAxes>& own, const std::array<std::int64_t, kAxes>& sizes,
                  std::int64_t pixel, Visit&& visit) {
  const auto& [depth, height, width] = volume.axes;
  const std::int64_t z = pixel / (own[1] * own[2]) * depth.stride - depth.before;
  const std::int64_t y = pixel / own[2] % own[1] * height.stride - height.before;
  const std::int64_t x = pixel % own[2] * width.stride - width.before;
  std::int64_t tap = 0;
  for (std::int64_t k = 0; k < depth.kernel; ++k) {
    for (std::int64_t j = 0; j < height.kernel; ++j) {
      for (std::int64_t i = 0; i < width.kernel; ++i, ++tap) {
        const std::int64_t plane = z + k * depth.dilation, row = y + j * height.dilation, column = x + i * width.dilation;
        const bool inside = plane >= 0 && plane < sizes[0] && row >= 0 && row < sizes[1] && column >= 0 && column < sizes[2];
        if (inside) visit(tap, (plane * sizes[1] + row) * sizes[2] + column);
      }
    }
  }
}

std::array<std::int64_t, kAxes> in_sizes(const Volume& volume) { return {volume.axes[0].in, volume.axes[1].in, volume.axes[2].in}; }
std::array<std::int64_t, kAxes> out_sizes(const Volume& volume) { return {volume.axes[0].out, volume.axes[1].out, volume.axes[2].out}; }

/// One image: rows of all taps times the filter [taps * in_channels, out_channels].
Status convolve(const Volume& volume, const float* image, const float* filter, EvalContext& context, float* out) {
  const std::int64_t length = volume.taps() * volume.in_channels, block = block_of(length);
  auto* rows = reinterpret_cast<float*>(context.scratch(as_size(block * length) * sizeof(float)));
  for (std::int64_t first = 0; first < volume.out_pixels(); first += block) {
    const std::int64_t count = std::min(block, volume.out_pixels() - first);
    std::fill_n(rows, count * length, 0.0F);
    for (std::int64_t p = 0; p < count; ++p) {
      for_each_tap(volume, out_sizes(volume), in_sizes(volume), first + p, [&](std::int64_t tap, std::int64_t pixel) {
        std::copy_n(image + pixel * volume.in_channels, volume.in_channels, rows + p * length + tap * volume.in_channels);
      });
    }
    VISQ_TRY(backend::multiply({.m = count, .n = volume.out_channels, .k = length}, rows, filter, out + first * volume.out_channels));
  }
  return {};
}

/// One image: pixels times the filter [taps * out_channels, in_channels], added up where their windows lie.
Status spread(const Volume& volume, const float* image, const float* filter, EvalContext& context, float* out) {
  const std::int64_t length = volume.taps() * volume.out_channels, block = block_of(length);
  auto* products = reinterpret_cast<float*>(context.scratch(as_size(block * length) * sizeof(float)));
  std::fill_n(out, volume.out_pixels() * volume.out_channels, 0.0F);
  for (std::int64_t first = 0; first < volume.in_pixels(); first += block) {
    const std::int64_t count = std::min(block, volume.in_pixels() - first);
    VISQ_TRY(backend::multiply({.m = count, .n = length, .k = volume.in_channels, .transpose_b = true}, image + first * volume.in_channels,
                               filter, products));
    for (std::int64_t p = 0; p < count; ++p) {
      for_each_tap(volume, in_sizes(volume), out_sizes(volume), first + p, [&](std::int64_t tap, std::int64_t pixel) {
        const float* product = products + p * length + tap * volume.out_channels;
        float* target = out + pixel * volume.out_channels;
        for (std::int64_t c = 0; c < volume.out_channels; ++c) target[c] += product[c];
      });
    }
  }
  return {};
}

/// convolve() summed up in order.
Status convolve_in_order(const Volume& volume, const float* image, const float* filter, EvalContext&, float* out) {
  std::fill_n(out, volume.out_pixels() * volume.out_channels, 0.0F);
  for (std::int64_t p = 0; p < volume.out_pixels(); ++p, out += volume.out_channels) {
    for_each_tap(volume, out_sizes(volume), in_sizes(volume), p, [&](std::int64_t tap, std::int64_t pixel) {
      add_in_order(image + pixel * volume.in_channels, volume.in_channels, filter + tap * volume.in_channels * volume.out_channels,
                   volume.out_channels, out);
    });
  }
  return {};
}

/// spread() summed up in order.
Status spread_in_order(const Volume& volume, const float* image, const float* filter, EvalContext& context, float* out) {
  const std::int64_t depth = volume.in_channels, outputs = volume.out_channels;
  auto* weights = reinterpret_cast<float*>(context.scratch(as_size(volume.taps() * depth * outputs) * sizeof(float)));
  for (std::int64_t i = 0; i < volume.taps() * depth * outputs; ++i) {  // [taps, in_channels, out_channels]
    weights[i] = filter[(i / (depth * outputs) * outputs + i % outputs) * depth + i / outputs % depth];
  }
  std::fill_n(out, volume.out_pixels() * outputs, 0.0F);
  for (std::int64_t p = 0; p < volume.in_pixels(); ++p) {
    for_each_tap(volume, in_sizes(volume), out_sizes(volume), p, [&](std::int64_t tap, std::int64_t pixel) {
      add_in_order(image + p * depth, depth, weights + tap * depth * outputs, outputs, out + pixel * outputs);
    });
  }
  return {};
}

template <auto OneImage>
Result<std::unique_ptr<Kernel>> volume_kernel(PrepareContext& context, const Volume& volume) {
  for (const int slot : {volume.input, volume.filter, volume.bias}) {
    if (context.has_input(slot)) VISQ_TRY(context.expect_type(slot, "an operand", {DType::kFloat32}));
  }
  if (context.has_input(volume.bias) && context.input(volume.bias).elements() != volume.out_channels) {
    return context.fail("bias has {} elements, expected {}", context.input(volume.bias).elements(), volume.out_channels);
  }
  const auto& axes = volume.axes;
  VISQ_TRY(context.set_output(0, DType::kFloat32, {volume.batch, axes[0].out, axes[1].out, axes[2].out, volume.out_channels}));
  if (context.output(0).elements() == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  return make_kernel([volume](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    const float* image = eval.in<float>(volume.input).data();
    const std::int64_t size = volume.out_pixels() * volume.out_channels;
    for (std::int64_t i = 0; i < volume.batch; ++i, image += volume.in_pixels() * volume.in_channels) {
      VISQ_TRY(OneImage(volume, image, eval.in<float>(volume.filter).data(), eval, out.data() + i * size));
    }
    if (eval.has_input(volume.bias)) {
      const auto bias = eval.in<float>(volume.bias);
      for (std::size_t first = 0; first < out.size(); first += bias.size()) {
        for (std::size_t c = 0; c < bias.size(); ++c) out[first + c] += bias[c];
      }
    }
    apply(volume.activation, out);
    return {};
  });
}

/// The windows along depth, height and width; sizes of the filter's first three axes.
std::array<AxisWindow, kAxes> read_windows(const Attributes& attributes, const Shape& filter) {
  return {AxisWindow{"depth", filter[0], attributes.integer("stride_d"), attributes.integer("dilation_d_factor", 1)},
          AxisWindow{"height", filter[1], attributes.integer("stride_h"), attributes.integer("dilation_h_factor", 1)},
          AxisWindow{"width", filter[2], attributes.integer("stride_w"), attributes.integer("dilation_w_factor", 1)}};
}

/// Filter [depth, height, width, in_channels, out_channels].
template <auto OneImage>
Result<std::unique_ptr<Kernel>> prepare_conv_3d(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "input", 5));
  VISQ_TRY(context.expect_rank(1, "filter", 5));
  const Shape& in = context.input(0).shape;
  const Shape& filter = context.input(1).shape;
  if (in[4] < 1 || in[4] != filter[3]) return context.fail("input has {} channels, the filter {}", in[4], filter[3]);
  Volume volume{.batch = in[0], .in_channels = in[4], .out_channels = filter[4]};
  VISQ_ASSIGN(volume.activation, fused_activation(context));
  const auto windows = read_windows(context.attributes(), filter);
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    VISQ_ASSIGN(volume.axes[axis], slide_along(context, windows[axis], in[static_cast<int>(axis) + 1]));
  }
  return volume_kernel<OneImage>(context, volume);
}

/// Inputs output_shape, filter [depth, height, width, out_channels, in_channels], input, bias.
template <auto OneImage>
Result<std::unique_ptr<Kernel>> prepare_conv_3d_transpose(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(2, "input", 5));
  VISQ_TRY(context.expect_rank(1, "filter", 5));
  VISQ_ASSIGN(const auto out, context.integers(0, "output_shape"));
  if (out.size() != 5) return context.fail("output_shape has {} sizes, expected 5", out.size());
  const Shape& in = context.input(2).shape;
  const Shape& filter = context.input(1).shape;
  if (in[4] < 1 || in[4] != filter[4]) return context.fail("input has {} channels, the filter {}", in[4], filter[4]);
  if (out[0] != in[0] || out[4] != filter[3]) {
    return context.fail("output_shape is {}, expected batch {} and {} channels", to_string(Shape(out)), in[0], filter[3]);
  }
  Volume volume{.batch = in[0], .in_channels = in[4], .out_channels = filter[3], .input = 2, .filter = 1, .bias = 3};
  VISQ_ASSIGN(volume.activation, fused_activation(context));
  const auto windows = read_windows(context.attributes(), filter);
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    VISQ_ASSIGN(volume.axes[axis], slide_along_transposed(context, windows[axis], in[static_cast<int>(axis) + 1], out[axis + 1]));
  }
  return volume_kernel<OneImage>(context, volume);
}

constexpr OpDef kDefinitions[] = {
    {.name = "CONV_3D",
     .prepare = prepare_conv_3d<convolve>,
     .prepare_in_order = prepare_conv_3d<convolve_in_order>,
     .types = {DType::kFloat32},
     .weights = WeightSlots{.rank = 5, .channel_axis = 4},
     .multiply_adds = filter_multiply_adds,
     .fuses_activation = true},
    {.name = "CONV_3D_TRANSPOSE",
     .prepare = prepare_conv_3d_transpose<spread>,
     .prepare_in_order = prepare_conv_3d_transpose<spread_in_order>,
     .types = {DType::kFloat32},
     .main_input = 2,
     .weights = WeightSlots{.data = 2, .bias = 3, .rank = 5, .channel_axis = 3},
     .multiply_adds = spreading_multiply_adds},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_conv_3d
