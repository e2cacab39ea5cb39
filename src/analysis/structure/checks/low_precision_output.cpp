// low-precision-output: what leaves the model is itself rounded to 8 bits or fewer.
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_low_precision_output {
namespace {

constexpr int kLow = 8;

void run(const CheckContext& context, Findings& findings) {
  const CheckedGraph& graph = context.graphs.front();
  for (const int output : graph.graph().outputs) {
    const TensorInfo& tensor = graph.lookup.tensor(output);
    if (!is_quantized(tensor) || bits(tensor.dtype) > kLow) continue;
    const auto scale = static_cast<double>(tensor.quantization.scale[0]);
    findings.add(Severity::kHint, graph, graph.lookup.maker(output), output,
                 fmt::format("the model's output is {} with scale {:.4g}", name(tensor.dtype), scale),
                 {{"bits", static_cast<double>(bits(tensor.dtype))}, {"scale", scale}});
  }
}

constexpr CheckDef kCheck{"low-precision-output", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_low_precision_output
