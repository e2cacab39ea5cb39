// fixed-range: operators whose kernels know only one output grid, and a tensor that has another.
#include <cmath>

#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "kernels/op.h"

namespace visq::analysis::check_fixed_range {
namespace {

constexpr double kNegligible = 1e-3;

void check_output(const CheckedGraph& graph, int node, Findings& findings) {
  const Operator& op = graph.lookup.op(node);
  const int output = output_of(op, 0);
  if (output == kNoTensor) return;
  const TensorInfo& tensor = graph.lookup.tensor(output);
  const auto grid = is_quantized(tensor) ? kernels::facts_of(op).fixed_grid.of(tensor.dtype) : std::nullopt;
  if (!grid) return;
  const auto stated = static_cast<double>(tensor.quantization.scale[0]);
  if (std::fabs(stated - grid->scale) <= kNegligible * grid->scale && tensor.quantization.zero_point[0] == grid->zero_point) return;
  findings.add(Severity::kError, graph, node, output,
               fmt::format("has scale {}, zero point {}; kernels of {} demand {}, {}", tensor.quantization.scale[0],
                           tensor.quantization.zero_point[0], op.type, grid->scale, grid->zero_point),
               {{"scale", stated}, {"expected_scale", grid->scale}, {"expected_zero_point", static_cast<double>(grid->zero_point)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) check_output(graph, static_cast<int>(i), findings);
  }
}

constexpr CheckDef kCheck{"fixed-range", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_fixed_range
