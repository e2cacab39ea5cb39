// per-tensor-weights: one scale for all channels of a layer's weights, where channels differ in size. Depthwise convolutions suffer most:
// each of their channels is a filter of its own.
#include <algorithm>
#include <cmath>

#include "analysis/structure/check_context.h"
#include "core/as_size.h"
#include "core/error.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::analysis::check_per_tensor_weights {
namespace {

/// A channel whose largest weight has fewer steps than this is mostly rounding.
constexpr double kFewSteps = 8;
/// Share of channels with few steps from which a layer suffers.
constexpr double kManyChannels = 1.0 / 3;

/// Largest |q - zero point| of every output channel.
std::vector<std::int64_t> steps_per_channel(const TensorInfo& weight, const kernels::WeightSlots& slots) {
  const auto stored = kernels::stored_integers(weight, "");
  if (!stored.ok() || weight.shape.rank() != slots.rank) return {};
  const int axis = slots.channel_axis;
  const auto channels = as_size(weight.shape[axis]);
  const auto inner = as_size(weight.shape.elements(axis + 1, weight.shape.rank()));
  std::vector<std::int64_t> steps(channels, 0);
  for (std::size_t i = 0; i < stored->size(); ++i) {
    auto& largest = steps[i / inner % channels];
    largest = std::max(largest, std::abs(std::int64_t{(*stored)[i]} - weight.quantization.zero_point[0]));
  }
  return steps;
}

void check_layer(const CheckedGraph& graph, int node, const kernels::WeightSlots& slots, Findings& findings) {
  const int tensor = input_of(graph.lookup.op(node), slots.weight);
  if (tensor < 0) return;
  const TensorInfo& weight = graph.lookup.tensor(tensor);
  const bool narrow = is_quantized(weight) && bits(weight.dtype) <= 8 && weight.is_constant && weight.quantization.block_size == 0;
  if (!narrow || weight.quantization.per_channel()) return;
  const bool depthwise = graph.lookup.op(node).type == "DEPTHWISE_CONV_2D";
  std::vector<std::int64_t> steps = steps_per_channel(weight, slots);
  std::erase(steps, 0);  // dead channels lose nothing
  if (steps.size() < 2) return;
  const auto few =
      static_cast<double>(std::count_if(steps.begin(), steps.end(), [](std::int64_t s) { return static_cast<double>(s) < kFewSteps; }));
  const double share = few / static_cast<double>(steps.size());
  const bool suffers = share >= kManyChannels;
  if (!depthwise && !suffers) return;
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  findings.add(suffers ? Severity::kWarning : Severity::kHint, graph, node, tensor,
               fmt::format("{} weights with one scale for {} channels: the smallest channel has {} steps, the largest {}",
                           name(weight.dtype), steps.size(), *least, *most),
               {{"channels", static_cast<double>(steps.size())},
                {"smallest_steps", static_cast<double>(*least)},
                {"largest_steps", static_cast<double>(*most)},
                {"share_below_8_steps", share}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const auto slots = kernels::facts_of(graph.graph().operators[i]).weights;
      if (slots) check_layer(graph, static_cast<int>(i), *slots, findings);
    }
  }
}

constexpr CheckDef kCheck{"per-tensor-weights", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_per_tensor_weights
