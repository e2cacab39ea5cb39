// scale-mismatch: an operator that hands stored integers on as they are, whose input and output stand for different real values.
#include <algorithm>
#include <cmath>

#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "kernels/op.h"

namespace visq::analysis::check_scale_mismatch {
namespace {

/// Scales that differ by less come from rounding of the converter's own numbers.
constexpr double kNegligible = 1e-4;

void check_pair(const CheckedGraph& graph, int node, int input, int output, Findings& findings) {
  const TensorInfo& in = graph.lookup.tensor(input);
  const TensorInfo& out = graph.lookup.tensor(output);
  if (!is_quantized(in) || !is_quantized(out) || in.dtype != out.dtype) return;
  if (in.quantization.per_channel() || out.quantization.per_channel()) return;
  const auto a = static_cast<double>(in.quantization.scale[0]), b = static_cast<double>(out.quantization.scale[0]);
  const std::int64_t za = in.quantization.zero_point[0], zb = out.quantization.zero_point[0];
  const bool scales_differ = !(std::fabs(a - b) <= kNegligible * std::max(std::fabs(a), std::fabs(b)));
  if (!scales_differ && za == zb) return;
  findings.add(Severity::kError, graph, node, output,
               fmt::format("hands on stored integers of '{}' (scale {}, zero point {}) as scale {}, zero point {}",
                           graph.names.display(input), in.quantization.scale[0], za, out.quantization.scale[0], zb),
               {{"input_scale", a}, {"input_zero_point", static_cast<double>(za)}, {"scale", b}, {"zero_point", static_cast<double>(zb)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      if (op.outputs.empty() || !kernels::facts_of(op).keeps_codes.has(graph.lookup.tensor(op.outputs[0]).dtype)) continue;
      for (const int output : op.outputs) {
        for (const int input : op.inputs) {
          if (input >= 0) check_pair(graph, static_cast<int>(i), input, output, findings);
        }
      }
    }
  }
}

constexpr CheckDef kCheck{"scale-mismatch", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_scale_mismatch
