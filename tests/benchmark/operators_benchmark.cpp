// Single operators, record after record on one thread: those whose sums and spectra Eigen makes, or could make.
#include <benchmark/benchmark.h>
#include <flatbuffers/flexbuffers.h>

#include <cmath>

#include "runtime/executor.h"
#include "support/models/small_model.h"

namespace visq::runtime {
namespace {

using testing::SmallModel;

std::vector<float> wave(std::int64_t size) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(std::sin(0.7F * static_cast<float>(i)) + 1.5F);
  return values;
}

/// Runs a model of one input on the same values until the clock is satisfied.
void measure(benchmark::State& state, const std::shared_ptr<const Model>& model, const Shape& shape) {
  const Array input = testing::float_array(shape, wave(shape.elements()));
  const auto graph = PreparedGraph::prepare(model, 0, Mode::kFp32, {shape});
  if (!graph.ok() || (*graph)->nodes()[0].status != NodeStatus::kReady) return state.SkipWithError("cannot be prepared");
  auto executor = Executor::create(*graph, std::make_shared<MemoryPlan>(plan_memory(**graph, {})));
  if (!executor.ok()) return state.SkipWithError("no memory");
  for (auto _ : state) {
    if (!executor->begin({&input, 1}).ok() || !executor->step(0).ok()) state.SkipWithError("failed");
  }
}

std::vector<std::uint8_t> options(const std::vector<std::pair<const char*, std::int64_t>>& numbers) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [name, number] : numbers) builder.Int(name, number);
  });
  builder.Finish();
  return builder.GetBuffer();
}

void rfft2d(benchmark::State& state) {
  const auto rows = state.range(0), columns = state.range(1);
  SmallModel model;
  const int in = model.map("in", {rows, columns});
  const int points = model.constant_int32("points", {2}, {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)});
  const int out = model.map("out", {rows, columns / 2 + 1}, DType::kComplex64);
  model.op("RFFT2D", {in, points}, {out});
  measure(state, model.finish({in}, {out}), {rows, columns});
}
BENCHMARK(rfft2d)->Args({1, 512})->Args({16, 16})->Args({64, 512})->Args({256, 256})->Args({1024, 1024});

/// A second of sound at 16 kHz, or one window of it.
void audio_spectrogram(benchmark::State& state) {
  const auto samples = state.range(0);
  const auto bytes = options({{"window_size", state.range(1)}, {"stride", state.range(1) / 2}, {"magnitude_squared", 1}});
  SmallModel model;
  const int in = model.map("in", {samples, 1}), out = model.map("out", {});
  Operator& op = model.op("CUSTOM", {in}, {out});
  op.custom_code = "AudioSpectrogram";
  op.custom_options = std::as_bytes(std::span(bytes));
  measure(state, model.finish({in}, {out}), {samples, 1});
}
BENCHMARK(audio_spectrogram)->Args({16000, 480})->Args({480, 480})->Args({16000, 2048});

void mfcc(benchmark::State& state) {
  const Shape shape{1, state.range(0), 257};
  const auto bytes = options({{"upper_frequency_limit", 4000},
                              {"lower_frequency_limit", 20},
                              {"filterbank_channel_count", state.range(1)},
                              {"dct_coefficient_count", state.range(2)}});
  SmallModel model;
  const int in = model.map("in", shape), rate = model.constant_int32("rate", {}, {16000}), out = model.map("out", {});
  Operator& op = model.op("CUSTOM", {in, rate}, {out});
  op.custom_code = "Mfcc";
  op.custom_options = std::as_bytes(std::span(bytes));
  measure(state, model.finish({in}, {out}), shape);
}
BENCHMARK(mfcc)->Args({49, 40, 10})->Args({49, 40, 40})->Args({98, 80, 80});

/// Batch and layout as they come: [1, h, w, c], or [1, c, elements].
void instance_norm(benchmark::State& state, const Shape& shape, std::int64_t channels) {
  SmallModel model;
  const int in = model.map("in", shape), out = model.map("out", shape);
  const int gamma = model.constant("gamma", {channels}, wave(channels)), beta = model.constant("beta", {channels}, wave(channels));
  model.op("INSTANCE_NORM", {in, gamma, beta}, {out}).attributes.set("epsilon", 1e-5);
  measure(state, model.finish({in}, {out}), shape);
}
BENCHMARK_CAPTURE(instance_norm, 56x56x64, Shape{1, 56, 56, 64}, 64);
BENCHMARK_CAPTURE(instance_norm, 128x128x32, Shape{1, 128, 128, 32}, 32);
BENCHMARK_CAPTURE(instance_norm, 8x8x512, Shape{1, 8, 8, 512}, 512);
BENCHMARK_CAPTURE(instance_norm, 96x96x3, Shape{1, 96, 96, 3}, 3);
BENCHMARK_CAPTURE(instance_norm, 64 of 3136, Shape{1, 64, 3136}, 64);

void rms_norm(benchmark::State& state) {
  const auto rows = state.range(0), width = state.range(1);
  SmallModel model;
  const int in = model.map("in", {1, rows, width}), out = model.map("out", {1, rows, width});
  model.op("RMS_NORM", {in, model.constant("gamma", {width}, wave(width))}, {out}).attributes.set("epsilon", 1e-5);
  measure(state, model.finish({in}, {out}), {1, rows, width});
}
BENCHMARK(rms_norm)->Args({1, 64})->Args({1, 2048})->Args({128, 2048});

void svdf(benchmark::State& state) {
  const auto features = state.range(0), filters = state.range(1), memory = state.range(2);
  SmallModel model;
  const int in = model.map("in", {1, features}), out = model.map("out", {1, filters});
  const int weights = model.constant("weights", {filters, features}, wave(filters * features));
  const int time = model.constant("time", {filters, memory}, wave(filters * memory));
  Operator& op = model.op("SVDF", {in, weights, time, -1, model.variable("state", {1, filters * memory})}, {out});
  op.attributes.set("rank", std::int64_t{1});
  measure(state, model.finish({in}, {out}), {1, features});
}
BENCHMARK(svdf)->Args({40, 64, 8})->Args({80, 256, 10})->Args({80, 256, 32});

}  // namespace
}  // namespace visq::runtime
