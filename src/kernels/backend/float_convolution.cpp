#include "kernels/backend/float_convolution.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "core/error.h"
#include "core/finite.h"
#include "kernels/backend/folded_columns.h"
#include "kernels/backend/row_winograd.h"

namespace visq::kernels::backend {
namespace {

std::unique_ptr<XnnpackOperator> make_xnnpack(const FloatConvolutionRequest& request) {
  return make_xnnpack_convolution({.shape = request.shape,
                                   .layout = request.layout,
                                   .filter = request.filter.data(),
                                   .bias = request.bias.empty() ? nullptr : request.bias.data(),
                                   .clamp = request.clamp});
}

/// Its operators always clamp, if only to all numbers, and clamps turn NaN into a number.
bool xnnpack_can(const FloatConvolutionRequest& request) {
  return !request.holds_nan && !request.filter.empty() && !request.bias_at_run_time && make_xnnpack(request) != nullptr;
}

// Microseconds for one map on one thread of an EPYC 9004 with AVX-512, as tests/benchmark/kernels_benchmark.cpp measures them; int8 is
// oneDNN's kernel with a zero point, for integer_sums.h.
//                               XNNPACK  oneDNN  int8                                    XNNPACK  oneDNN  int8
//   96x96x3 -> 8, 3x3 / 2          18.8    24.1    11.5    48x48x8, depthwise 3x3            30.8    17.9    12.2
//   32x32x3 -> 16, 3x3              8.6    11.0     5.5    48x48x16, depthwise 3x3 / 2        8.6     7.6     4.6
//   224x224x3 -> 32, 3x3 / 2      217     233      99      24x24x32, depthwise 3x3           13.1     9.5     7.2
//   224x224x3 -> 64, 7x7 / 2     2296    2125     792      6x6x128, depthwise 3x3             2.1     2.8     2.6
//   32x32x16 -> 16, 3x3            40.7    42.7    13.5    112x112x64, depthwise 3x3        440     282     323
//   8x8x64 -> 64, 3x3              44.6    36.0    13.2    14x14x512, depthwise 3x3          51.2    45.8    45.5
//   56x56x64 -> 64, 3x3          2002    2029     544      24x24x65, depthwise 9x9         1270     134     175
//   7x7x512 -> 512, 3x3          2221    2053     649      24x24x8 -> 16, depthwise 3x3      25.5    20.5    78.0 (not generated)
//   48x48x8 -> 16, 1x1              7.3     7.7     7.8      the same on AVX2                24.8   112       (not generated)
//   3x3x256 -> 256, 1x1            15.8    11.5     3.6    640 -> 128, fully connected        5.3     3.6     1.3
//   7x7x512 -> 1024, 1x1          453     490     119      1024 -> 1000, fully connected     69.4    51.5    13.9
// On an EPYC 9005 the first layers of 32 and 64 channels take XNNPACK 151 and 1674, oneDNN 110 and 1061.
// oneDNN's packed weights are shared by all threads too, so it is the rule; the exceptions are shapes that it has no generated kernel for,
// and maps of a few channels, unless their filters fill its vectors.
constexpr std::int64_t kFewChannels = 4, kOneVector = 16;

// Windows of three neighbours by Winograd's transforms, against the direct kernel on an EPYC 9005, microseconds: the library's, of squares,
// and that of rows (row_winograd.h).
//                      direct  squares  rows                        direct  squares  rows
//   56x56x64 -> 64        996      540   601    4000x64 -> 64, 3x1     421      -     265
//   28x28x128 -> 128      950      414   615    125x256 -> 256, 3x1    207      -     116
//   14x14x256 -> 256      908      483   724    1000x32 -> 32, 3x1      26      -      20
//   32x32x96 -> 96        690      335   430    1000x16 -> 16, 3x1       8      -       8
//   64x64x24 -> 24        261      300   198    128x128x16 -> 16       383      410   264
// In whole networks, where filters come from memory, squares are worth it for powers of two only: the layer of 96 channels takes 640 there,
// by rows 450; one of 16x16x192 860 and 560. Transformed filters are two (rows) to four times as large. What squares work in grows with the
// maps, to many times their size; beyond the caches nothing is left of the gain.
constexpr std::size_t kMostScratch = std::size_t{16} << 20;
constexpr std::int64_t kFewestForMaps = 16, kFewestForLines = 32, kMostFilters = 512 * 256, kFewestForSquares = 64,
                       kMostForSquares = 256 * 256;

/// Numbers of which differences, and sums of products, are finite.
VISQ_CPU_CLONES bool all_moderate(std::span<const float> values) { return all_below_power_of_two<50>(values); }

OneDnnConvolution for_onednn(const FloatConvolutionRequest& request, bool winograd = false) {
  return {.shape = request.shape,
          .layout = request.layout,
          .filter = request.filter.empty() ? nullptr : request.filter.data(),
          .bias = request.bias,
          .bias_at_run_time = request.bias_at_run_time,
          .clamp = request.clamp,
          .winograd = winograd};
}

/// Whether all numbers are multiples of a power of two, and few enough of them that sums of products with numbers alike are exact in
/// float32. Trained weights are not; where weights were made to be exact, no transform may round.
bool are_coarse(std::span<const float> values) {
  constexpr int kBits = 12;  // a code of 8 bits, and some
  int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::min();
  for (const float value : values) {
    if (value == 0) continue;
    const auto bits = std::bit_cast<std::uint32_t>(std::abs(value));
    const int exponent = static_cast<int>(bits >> 23);
    const std::uint32_t mantissa = exponent == 0 ? bits : (bits & 0x7FFFFFU) | 0x800000U;
    const int unit = std::max(exponent, 1);
    lowest = std::min(lowest, unit + std::countr_zero(mantissa));
    highest = std::max(highest, unit + static_cast<int>(std::bit_width(mantissa)));
    if (highest - lowest > kBits) return false;
  }
  return true;
}

std::unique_ptr<OneDnnPrimitive> if_generated(std::unique_ptr<OneDnnPrimitive> primitive) {
  return primitive != nullptr && primitive->generated() ? std::move(primitive) : nullptr;
}

bool by_neighbours(const ConvolutionAxis& axis) { return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1; }

/// Where the library's own transform is faster than that of rows.
bool square_pays(const ConvolutionShape& shape) {
  const auto suits = [](std::int64_t channels) {
    return channels >= kFewestForSquares && std::has_single_bit(static_cast<std::uint64_t>(channels));
  };
  return by_neighbours(shape.height) && by_neighbours(shape.width) && suits(shape.in_channels) && suits(shape.out_channels) &&
         shape.in_channels * shape.out_channels <= kMostForSquares;
}

/// What is known of a convolution before its filter is looked at.
bool may_take_winograd(const FloatConvolutionRequest& request) {
  const ConvolutionShape& shape = request.shape;
  const bool single_line = shape.height.kernel * shape.width.kernel == 3;
  const std::int64_t fewest = single_line ? kFewestForLines : kFewestForMaps;
  return (shape.height.kernel == 3 || shape.width.kernel == 3) && shape.groups == 1 && !shape.transposed && !request.exact &&
         std::min(shape.in_channels, shape.out_channels) >= fewest && shape.in_channels * shape.out_channels <= kMostFilters &&
         has_wide_kernels();
}

std::unique_ptr<OneDnnPrimitive> make_winograd(const FloatConvolutionRequest& request) {
  const auto small = [](std::unique_ptr<OneDnnPrimitive> primitive) {
    return primitive != nullptr && primitive->scratch_bytes() <= kMostScratch ? std::move(primitive) : nullptr;
  };
  std::unique_ptr<OneDnnPrimitive> squares;
  if (square_pays(request.shape)) squares = small(if_generated(make_onednn_convolution(for_onednn(request, true))));
  return squares != nullptr ? std::move(squares) : small(make_row_winograd(for_onednn(request)));
}

std::unique_ptr<OneDnnPrimitive> make_folded(const FloatConvolutionRequest& request, const ConvolutionShape& folded) {
  const std::vector<float> filter = fold_filter(request.filter, request.shape, folded);
  const std::vector<float> bias = repeat_channels(request.bias, request.shape, folded);
  return if_generated(make_onednn_convolution({.shape = folded, .filter = filter.data(), .bias = bias, .clamp = request.clamp}));
}

}  // namespace

/// By another arithmetic, where there is one that pays. It makes NaN of infinities, or spreads both, so that maps which hold some need the
/// direct kernel; it is given the filter only then.
std::unique_ptr<FloatConvolution> FloatConvolution::transformed(FloatConvolutionRequest& request) {
  if (request.holds_nan || request.filter.empty() || request.bias_at_run_time) return nullptr;
  const auto folded = request.layout == FilterLayout::kOhwi ? fold_columns(request.shape) : std::nullopt;
  const bool winograd = may_take_winograd(request);
  if ((!folded && !winograd) || !all_moderate(request.filter)) return nullptr;
  std::unique_ptr<OneDnnPrimitive> primitive;
  if (folded) primitive = make_folded(request, *folded);
  if (primitive == nullptr && winograd && !are_coarse(request.filter)) primitive = make_winograd(request);
  if (primitive == nullptr) return nullptr;
  OneDnnConvolution direct = for_onednn(request);
  direct.filter = nullptr;
  auto convolution = std::unique_ptr<FloatConvolution>(new FloatConvolution(make_onednn_convolution(direct)));
  if (convolution->onednn_ == nullptr) return nullptr;
  convolution->transformed_ = std::move(primitive);
  convolution->request_ = std::move(request);
  return convolution;
}

std::unique_ptr<FloatConvolution> FloatConvolution::create(FloatConvolutionRequest request) {
  const auto use_xnnpack = [&] {
    if (request.own_filter.empty()) request.own_filter.assign(request.filter.begin(), request.filter.end());
    request.filter = request.own_filter;  // its operators are made later, and moving a vector does not move its elements
    return std::unique_ptr<FloatConvolution>(new FloatConvolution(std::move(request)));
  };
  if (auto convolution = transformed(request)) return convolution;
  const bool narrow = request.shape.out_channels <= kOneVector || !has_wide_kernels();
  if (request.shape.in_channels <= kFewChannels && narrow && request.shape.groups == 1 && xnnpack_can(request)) {
    return use_xnnpack();
  }
  auto onednn = make_onednn_convolution(for_onednn(request));
  if ((onednn == nullptr || !onednn->generated()) && xnnpack_can(request)) {
    return use_xnnpack();
  }
  if (onednn == nullptr) return nullptr;
  return std::unique_ptr<FloatConvolution>(new FloatConvolution(std::move(onednn)));
}

FloatConvolutionCall FloatConvolution::make_call() const {
  FloatConvolutionCall call;
  if (transformed_) {
    call.transformed = transformed_->make_call();
  } else if (onednn_) {
    call.onednn = onednn_->make_call();
  } else {
    call.xnnpack = make_xnnpack(request_);
  }
  return call;
}

Status FloatConvolution::run(FloatConvolutionCall& call, const OneDnnOperands& operands) const {
  if (transformed_) {
    const std::span source(static_cast<const float*>(operands.source), as_size(request_.shape.in_elements()));
    if (all_moderate(source)) return transformed_->run(*call.transformed, operands);
    if (!call.onednn) call.onednn = onednn_->make_call();
    OneDnnOperands direct = operands;
    direct.filter = request_.filter.data();
    return onednn_->run(*call.onednn, direct);
  }
  if (call.onednn) return onednn_->run(*call.onednn, operands);
  if (call.xnnpack) return call.xnnpack->run(static_cast<const float*>(operands.source), static_cast<float*>(operands.target));
  return internal_error("XNNPACK could not make an operator: out of memory");
}

}  // namespace visq::kernels::backend
