// fixed-range: operators whose kernels know only one output grid, and a tensor that has another.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/check_context.h"
#include "core/error.h"

namespace visq::analysis {
namespace {

constexpr double kNegligible = 1e-3;

struct FixedGrid {
  std::string_view op;
  double scale8;       ///< of 8-bit outputs
  std::int64_t zero8;  ///< of int8; uint8: 128 more
  double scale16;      ///< of int16 outputs, zero point 0; 0: the kernel has none
};

constexpr std::array<FixedGrid, 5> kGrids{{{"SOFTMAX", 1.0 / 256, -128, 1.0 / 32768},
                                           {"LOGISTIC", 1.0 / 256, -128, 1.0 / 32768},
                                           {"TANH", 1.0 / 128, 0, 1.0 / 32768},
                                           {"L2_NORMALIZATION", 1.0 / 128, 0, 0},
                                           {"LOG_SOFTMAX", 16.0 / 256, 127, 0}}};

void check_output(const CheckedGraph& graph, int node, const FixedGrid& grid, Findings& findings) {
  const int output = graph.lookup.op(node).outputs.at(0);
  const TensorInfo& tensor = graph.lookup.tensor(output);
  if (!is_quantized(tensor)) return;
  const bool wide = tensor.dtype == DType::kInt16;
  if (wide ? grid.scale16 == 0 : bits(tensor.dtype) != 8) return;
  const double scale = wide ? grid.scale16 : grid.scale8;
  const std::int64_t zero = wide ? 0 : grid.zero8 + (tensor.dtype == DType::kUInt8 ? 128 : 0);
  const auto stated = static_cast<double>(tensor.quantization.scale[0]);
  if (std::fabs(stated - scale) <= kNegligible * scale && tensor.quantization.zero_point[0] == zero) return;
  findings.add(Severity::kError, graph, node, output,
               fmt::format("has scale {}, zero point {}; kernels of {} demand {}, {}", tensor.quantization.scale[0],
                           tensor.quantization.zero_point[0], grid.op, scale, zero),
               {{"scale", stated}, {"expected_scale", scale}, {"expected_zero_point", static_cast<double>(zero)}});
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
      const Operator& op = graph.graph().operators[i];
      const auto grid = std::find_if(kGrids.begin(), kGrids.end(), [&](const FixedGrid& each) { return each.op == op.type; });
      if (grid != kGrids.end() && !op.outputs.empty()) check_output(graph, static_cast<int>(i), *grid, findings);
    }
  }
}

constexpr CheckDef kCheck{"fixed-range", run};

}  // namespace

std::span<const CheckDef> check_fixed_range() { return {&kCheck, 1}; }

}  // namespace visq::analysis
