// bias-scale: a quantized bias that states another scale than input scale * weight scale, which is what kernels take it by.
#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_bias_scale {
namespace {

/// Converters compute scales in float: less than this is their rounding.
constexpr double kNegligible = 1e-3;
/// A bias that moves the output by less than half a step moves nothing.
constexpr double kHarmlessSteps = 0.5;

struct ScaleError {
  double stated = 0, expected = 0;  ///< of the channel where it matters most
  double effect = 0;                ///< largest |bias as stated - bias as taken|
};

/// Nothing where all channels agree.
std::optional<ScaleError> scale_error(const std::vector<std::int64_t>& codes, const std::vector<double>& expected,
                                      const std::vector<float>& stated) {
  std::optional<ScaleError> worst;
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const auto own = static_cast<double>(stated[stated.size() == 1 ? 0 : c]);
    if (std::fabs(own - expected[c]) <= kNegligible * std::max(std::fabs(own), std::fabs(expected[c]))) continue;
    const double effect = std::fabs(static_cast<double>(codes[c]) * (own - expected[c]));
    if (!worst || !(effect <= worst->effect)) worst = {own, expected[c], effect};
  }
  return worst;
}

/// True where the reference's bias is nearer to the stored integers times `taken` than times `stated`.
bool values_are_right(const CheckContext& context, const CheckedGraph& graph, int node, const std::vector<std::int64_t>& codes,
                      const std::vector<double>& taken, const std::vector<float>& stated) {
  if (graph.index != 0) return false;
  for (const OperatorPair& pair : context.pairs) {
    if (pair.model != node) continue;
    const quant::GraphIndex& reference = context.reference_graph.front().lookup;
    const auto bias = bias_values(reference, reference.op(pair.reference));
    if (!bias || bias->size() != codes.size()) return false;
    double as_taken = 0, as_stated = 0;
    for (std::size_t c = 0; c < codes.size(); ++c) {
      const auto code = static_cast<double>(codes[c]);
      as_taken += std::fabs(code * taken[c] - (*bias)[c]);
      as_stated += std::fabs(code * static_cast<double>(stated[stated.size() == 1 ? 0 : c]) - (*bias)[c]);
    }
    return as_taken < as_stated;
  }
  return false;
}

void check_layer(const CheckContext& context, const CheckedGraph& graph, int node, Findings& findings) {
  const Operator& op = graph.lookup.op(node);
  const auto expected = bias_scales(graph.lookup, op);
  const auto codes = bias_codes(graph.lookup, op);
  if (!expected || !codes || op.outputs.empty()) return;
  const int bias = input_of(op, kernels::facts_of(op).weights->bias);
  const auto& stated = graph.lookup.tensor(graph.lookup.origin(bias)).quantization.scale;
  if (stated.size() != 1 && stated.size() != codes->size()) return;
  const auto error = scale_error(*codes, *expected, stated);
  if (!error) return;
  const auto& output = graph.lookup.tensor(op.outputs[0]).quantization;
  const double steps = output.quantized() ? error->effect / static_cast<double>(output.scale[0]) : error->effect;
  const bool harmless = steps < kHarmlessSteps;
  const bool right = !harmless && values_are_right(context, graph, node, *codes, *expected, stated);
  const std::string_view consequence = harmless ? "harmless, its values are too small to matter"
                                       : right  ? "its values are right as kernels take them"
                                                : "kernels take it by the latter";
  findings.add(
      harmless || right ? Severity::kHint : Severity::kError, graph, node, bias,
      fmt::format("bias states scale {:.6g}, input scale × weight scale is {:.6g}: {}", error->stated, error->expected, consequence),
      {{"scale", error->stated}, {"expected_scale", error->expected}, {"output_steps", steps}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) check_layer(context, graph, static_cast<int>(i), findings);
  }
}

constexpr CheckDef kCheck{"bias-scale", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_bias_scale
