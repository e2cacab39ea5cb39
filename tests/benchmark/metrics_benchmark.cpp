// How many pairs of elements a second the fused pass takes, by size of the map (L1, L2, L3 and beyond) and scale layout.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "metrics/pair_stats.h"

namespace visq::metrics {
namespace {

struct Maps {
  explicit Maps(std::int64_t elements) : f(static_cast<std::size_t>(elements)), q(f.size()) {
    std::mt19937 random(1);
    std::normal_distribution<float> value(0, 1), error(0, 0.01F);
    for (std::size_t i = 0; i < f.size(); ++i) {
      f[i] = value(random);
      q[i] = f[i] + error(random);
    }
  }
  std::vector<float> f, q;
};

void run(benchmark::State& state, const Maps& maps, const ScaleLayout& layout) {
  const auto elements = static_cast<std::int64_t>(maps.f.size());
  for (auto _ : state) {
    PairStats stats = accumulate_pair(maps.f.data(), maps.q.data(), elements, layout);
    benchmark::DoNotOptimize(stats);
  }
  state.SetItemsProcessed(state.iterations() * elements);
}

void one_scale(benchmark::State& state) {
  const Maps maps(state.range(0));
  const std::vector<float> scale{0.05F};
  run(state, maps, {scale, 1});
}
BENCHMARK(one_scale)->Arg(10)->Arg(1000)->Arg(4096)->Arg(65536)->Arg(1 << 20)->Arg(1 << 24);

void channels_last(benchmark::State& state) {
  const Maps maps(65536);
  const std::vector<float> scale(static_cast<std::size_t>(state.range(0)), 0.05F);
  run(state, maps, {scale, 1});
}
BENCHMARK(channels_last)->Arg(3)->Arg(64)->Arg(1000);

/// A map that holds an infinity in every block: what exact arithmetic costs.
void exact_arithmetic(benchmark::State& state) {
  Maps maps(65536);
  for (std::size_t i = 0; i < maps.f.size(); i += 16) maps.f[i] = -3.4e38F;
  const std::vector<float> scale{0.05F};
  run(state, maps, {scale, 1});
}
BENCHMARK(exact_arithmetic);

}  // namespace
}  // namespace visq::metrics
