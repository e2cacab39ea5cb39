// Convolutions of real networks on the kernel libraries, one thread: the figures behind the choices in
// src/kernels/backend/float_convolution.cpp. Items per second are multiply-adds.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/backend/onednn.h"
#include "kernels/backend/xnnpack.h"

namespace visq::kernels::backend {
namespace {

struct Layer {
  const char* name;
  std::int64_t size, in, out, kernel, stride;
  bool depthwise = false;
};

constexpr std::array kLayers = {
    Layer{"96x96x3 -> 8, 3x3 / 2", 96, 3, 8, 3, 2},
    Layer{"128x128x3 -> 8, 3x3 / 2", 128, 3, 8, 3, 2},
    Layer{"224x224x3 -> 32, 3x3 / 2", 224, 3, 32, 3, 2},
    Layer{"224x224x3 -> 64, 7x7 / 2", 224, 3, 64, 7, 2},
    Layer{"32x32x3 -> 16, 3x3", 32, 3, 16, 3, 1},
    Layer{"32x32x16 -> 16, 3x3", 32, 16, 16, 3, 1},
    Layer{"16x16x32 -> 32, 3x3", 16, 32, 32, 3, 1},
    Layer{"8x8x64 -> 64, 3x3", 8, 64, 64, 3, 1},
    Layer{"56x56x64 -> 64, 3x3", 56, 64, 64, 3, 1},
    Layer{"14x14x256 -> 256, 3x3", 14, 256, 256, 3, 1},
    Layer{"7x7x512 -> 512, 3x3", 7, 512, 512, 3, 1},
    Layer{"48x48x8 -> 16, 1x1", 48, 8, 16, 1, 1},
    Layer{"24x24x32 -> 32, 1x1", 24, 32, 32, 1, 1},
    Layer{"12x12x32 -> 64, 1x1", 12, 32, 64, 1, 1},
    Layer{"6x6x128 -> 128, 1x1", 6, 128, 128, 1, 1},
    Layer{"3x3x256 -> 256, 1x1", 3, 256, 256, 1, 1},
    Layer{"56x56x64 -> 128, 1x1", 56, 64, 128, 1, 1},
    Layer{"7x7x512 -> 1024, 1x1", 7, 512, 1024, 1, 1},
    Layer{"48x48x8, depthwise 3x3", 48, 8, 8, 3, 1, true},
    Layer{"48x48x16, depthwise 3x3 / 2", 48, 16, 16, 3, 2, true},
    Layer{"24x24x32, depthwise 3x3", 24, 32, 32, 3, 1, true},
    Layer{"6x6x128, depthwise 3x3", 6, 128, 128, 3, 1, true},
    Layer{"3x3x256, depthwise 3x3", 3, 256, 256, 3, 1, true},
    Layer{"24x24x65, depthwise 9x9", 24, 65, 65, 9, 1, true},
    Layer{"112x112x64, depthwise 3x3", 112, 64, 64, 3, 1, true},
    Layer{"14x14x512, depthwise 3x3", 14, 512, 512, 3, 1, true},
    Layer{"24x24x8 -> 16, depthwise 3x3", 24, 8, 16, 3, 1, true},
    Layer{"640 -> 128, fully connected", 1, 640, 128, 1, 1},
    Layer{"1024 -> 1000, fully connected", 1, 1024, 1000, 1, 1},
};

ConvolutionShape shape_of(const Layer& layer) {
  ConvolutionAxis axis{
      .in = layer.size, .out = (layer.size + layer.stride - 1) / layer.stride, .kernel = layer.kernel, .stride = layer.stride};
  const std::int64_t padding = std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + axis.kernel - axis.in);
  axis.before = padding / 2;
  axis.after = padding - axis.before;
  return {.in_channels = layer.in, .out_channels = layer.out, .groups = layer.depthwise ? layer.in : 1, .height = axis, .width = axis};
}

FilterLayout layout_of(const Layer& layer) { return layer.depthwise ? FilterLayout::kHwo : FilterLayout::kOhwi; }

/// Runs `run(source, target)` on operands of a layer until the clock is satisfied.
template <class Source, class Run>
void measure(benchmark::State& state, const Layer& layer, Run run) {
  constexpr std::size_t kSlack = 64;
  const ConvolutionShape shape = shape_of(layer);
  const std::vector<Source> source(static_cast<std::size_t>(shape.in_elements()) + kSlack, Source{1});
  std::vector<float> target(static_cast<std::size_t>(shape.out_pixels() * shape.out_channels) + kSlack);
  for (auto _ : state) {
    if (!run(source.data(), target.data()).ok()) state.SkipWithError("failed");
  }
  state.SetLabel(layer.name);
  state.SetItemsProcessed(state.iterations() * shape.out_pixels() * shape.out_channels * shape.taps());
}

void measure_onednn(benchmark::State& state, DType source, std::int32_t zero_point) {
  const Layer& layer = kLayers[static_cast<std::size_t>(state.range(0))];
  const ConvolutionShape shape = shape_of(layer);
  const auto weights = static_cast<std::size_t>(shape.filter_elements());
  const std::vector<float> floats(weights, 0.25F), bias(static_cast<std::size_t>(shape.out_channels), 1);
  const std::vector<std::int8_t> integers(weights, 3);
  const bool real = source == DType::kFloat32;
  const auto primitive = make_onednn_convolution({.shape = shape,
                                                  .layout = layout_of(layer),
                                                  .source = source,
                                                  .source_zero_point = zero_point,
                                                  .scales = real ? std::span<const float>() : std::span<const float>(bias),
                                                  .filter = real ? static_cast<const void*>(floats.data()) : integers.data(),
                                                  .bias = bias,
                                                  .clamp = {.low = 0, .high = 6}});
  if (primitive == nullptr) return state.SkipWithError("no kernel");
  const auto call = primitive->make_call();
  std::vector<std::byte> scratch(primitive->scratch_bytes() + 64);
  const auto run = [&](const void* in, float* out) {
    return primitive->run(*call, {.source = in, .target = out, .scratch = scratch.data()});
  };
  real ? measure<float>(state, layer, run) : measure<std::int8_t>(state, layer, run);
}

void onednn_float(benchmark::State& state) { measure_onednn(state, DType::kFloat32, 0); }
void onednn_int8(benchmark::State& state) { measure_onednn(state, DType::kInt8, 5); }
void onednn_uint8(benchmark::State& state) { measure_onednn(state, DType::kUInt8, 128); }

void xnnpack_float(benchmark::State& state) {
  const Layer& layer = kLayers[static_cast<std::size_t>(state.range(0))];
  const ConvolutionShape shape = shape_of(layer);
  const std::vector<float> filter(static_cast<std::size_t>(shape.filter_elements()), 0.25F);
  const std::vector<float> bias(static_cast<std::size_t>(shape.out_channels), 1);
  const auto op = make_xnnpack_convolution(
      {.shape = shape, .layout = layout_of(layer), .filter = filter.data(), .bias = bias.data(), .clamp = {.low = 0, .high = 6}});
  if (op == nullptr) return state.SkipWithError("no kernel");
  measure<float>(state, layer, [&](const float* in, float* out) { return op->run(in, out); });
}

void every_layer(benchmark::internal::Benchmark* benchmark) {
  benchmark->DenseRange(0, static_cast<std::int64_t>(kLayers.size()) - 1)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(xnnpack_float)->Apply(every_layer);
BENCHMARK(onednn_float)->Apply(every_layer);
BENCHMARK(onednn_int8)->Apply(every_layer);
BENCHMARK(onednn_uint8)->Apply(every_layer);

}  // namespace
}  // namespace visq::kernels::backend
