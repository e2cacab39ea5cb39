// Batch normalization with other statistics: the float model's weights times a factor of each channel's own, since it is folded into them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_batch_statistics {
namespace {

/// Channels whose weights are the same but for a factor; by how much the factors must differ from one another (a share of channels at
/// either end aside) so that they are no scale of the whole layer.
constexpr double kSameDirection = 0.98, kSpread = 1.1, kEnds = 0.1;
constexpr std::size_t kFewChannels = 4, kShortest = 4;

/// Factors of a layer's channels, smallest first; empty where its channels are not the float model's times factors.
std::vector<double> factors_of(const LayerPair& layer) {
  std::vector<double> factors;
  if (layer.channels.size() < kFewChannels || layer.elements < kShortest * layer.channels.size()) return factors;
  for (const ChannelFit& channel : layer.channels) {
    if (channel.cosine >= kSameDirection && channel.factor > 0) factors.push_back(channel.factor);
  }
  if (10 * factors.size() < 9 * layer.channels.size()) return {};
  std::sort(factors.begin(), factors.end());
  const auto cut = static_cast<std::size_t>(kEnds * static_cast<double>(factors.size()));
  return factors[factors.size() - 1 - cut] > kSpread * factors[cut] ? factors : std::vector<double>{};
}

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  if (!evidence.differ_by_weights()) return std::nullopt;  // equalized on purpose: the next layer takes it back
  std::size_t scaled = 0;
  double low = HUGE_VAL, high = 0;
  for (const LayerPair& layer : evidence.layers.pairs) {
    const auto factors = factors_of(layer);
    if (factors.empty()) continue;
    ++scaled;
    low = std::min(low, factors.front()), high = std::max(high, factors.back());
  }
  if (scaled < TwinLayers::kFewLayers || 2 * scaled < evidence.layers.moved()) return std::nullopt;
  return GlobalRemark{
      "batch normalization",
      fmt::format("in {} of {} layers the quantized model's weights are the float model's, but each channel by a factor of its own "
                  "({:.3g} to {:.3g}), as where batch normalization was folded in with other statistics: those of the checkpoint were not "
                  "loaded (mean 0, variance 1), or are those of training{}. Load mean and variance with the weights, freeze them "
                  "(inference mode), and convert and quantize that checkpoint again",
                  scaled, evidence.layers.pairs.size(), low, high, evidence.blame())};
}

constexpr TwinDef kTwin{"batch normalization", 20, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_batch_statistics
