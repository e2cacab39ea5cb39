// wasted-range: a fused activation cuts off what part of the output's range is reserved for.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "kernels/op.h"
#include "quant/fake_quantize.h"

namespace visq::analysis::check_wasted_range {
namespace {

/// A bit lost; symmetric types of 16 bits and more do not care.
constexpr double kWorthTelling = 0.25;

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      const std::string_view fused = op.attributes.text("fused_activation_function", "NONE");
      const auto clamp = kernels::clamp_of(op);
      if (!clamp || clamp->low < 0 || op.outputs.empty()) continue;
      const TensorInfo& tensor = graph.lookup.tensor(op.outputs[0]);
      if (!quant::has_grid(tensor) || bits(tensor.dtype) > 8) continue;
      const quant::Grid grid = quant::grid_of(tensor);
      const double share = (static_cast<double>(grid.zero_point) - grid.low) / (static_cast<double>(grid.high) - grid.low);
      if (share < kWorthTelling) continue;
      findings.add(Severity::kHint, graph, static_cast<int>(i), op.outputs[0],
                   fmt::format("{:.0f} % of its codes stand for negative values, which its {} cuts off", 100 * std::min(share, 1.0),
                               fused == "NONE" ? std::string_view(op.type) : fused),
                   {{"share", share}, {"zero_point", static_cast<double>(grid.zero_point)}});
    }
  }
}

constexpr CheckDef kCheck{"wasted-range", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_wasted_range
