// float-weights: weights stored as floats in a model that is quantized elsewhere.
#include <unordered_set>

#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_float_weights {
namespace {

/// Weights with fewer elements stay float in many converters on purpose.
constexpr std::int64_t kSmall = 1024;
/// Share of all weight bytes from which float weights are more than an exception.
constexpr double kLargeShare = 0.25;

void run(const CheckContext& context, Findings& findings) {
  bool quantized = has_quantized_operators(context);
  std::int64_t layers = 0, all_layers = 0, float_bytes = 0, all_bytes = 0;
  std::unordered_set<const std::byte*> seen;
  for (const CheckedGraph& graph : context.graphs) {
    for (const Operator& op : graph.graph().operators) {
      const auto slots = kernels::facts_of(op).weights;
      const int tensor = slots ? input_of(op, slots->weight) : -1;
      if (tensor < 0) continue;
      const TensorInfo& weight = graph.lookup.tensor(graph.lookup.origin(tensor));
      if (!weight.is_constant || !seen.insert(weight.data.data()).second) continue;
      const bool real = is_floating(weight.dtype);
      quantized = quantized || !real;
      ++all_layers;
      all_bytes += static_cast<std::int64_t>(weight.data.size());
      if (!real || weight.shape.elements() < kSmall) continue;
      ++layers;
      float_bytes += static_cast<std::int64_t>(weight.data.size());
    }
  }
  if (!quantized || layers == 0) return;
  const double share = static_cast<double>(float_bytes) / static_cast<double>(all_bytes);
  findings.add(share >= kLargeShare ? Severity::kWarning : Severity::kHint, false,
               fmt::format("the weights of {} of {} layers are floats, {:.0f} % of all weight bytes", layers, all_layers, 100 * share),
               {{"layers", static_cast<double>(layers)},
                {"of", static_cast<double>(all_layers)},
                {"bytes", static_cast<double>(float_bytes)},
                {"share", share}});
}

constexpr CheckDef kCheck{"float-weights", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_float_weights
