// wrong-bias: a bias that is not the reference's, in a layer whose weights are.
#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "analysis/structure/check_context.h"
#include "analysis/structure/weight_difference.h"
#include "core/error.h"

namespace visq::analysis::check_wrong_bias {
namespace {

/// Steps of the output by which a bias may be off: rounding of the bias is far below one, and methods that correct a bias for the mean
/// error of rounding move it by a few.
constexpr double kNoticeableSteps = 2, kLargeSteps = 8;

void check_layer(const CheckContext& context, const OperatorPair& pair, Findings& findings) {
  const CheckedGraph& graph = context.graphs.front();
  const quant::GraphIndex& reference = context.reference_graph.front().lookup;
  const Operator& op = graph.lookup.op(pair.model);
  const auto wanted = bias_values(reference, reference.op(pair.reference));
  const auto found = bias_values(graph.lookup, op);
  if (!wanted || !found || wanted->size() != found->size() || op.outputs.empty()) return;
  const auto& output = graph.lookup.tensor(op.outputs[0]).quantization;
  if (output.scale.size() != 1) return;
  double steps = 0;
  std::size_t channel = 0;
  for (std::size_t c = 0; c < wanted->size(); ++c) {
    const double off = std::fabs((*wanted)[c] - (*found)[c]) / static_cast<double>(output.scale[0]);
    if (off > steps) steps = off, channel = c;
  }
  if (!(steps >= kNoticeableSteps)) return;
  findings.add(steps >= kLargeSteps ? Severity::kError : Severity::kWarning, graph, pair.model,
               input_of(op, kernels::facts_of(op).weights->bias),
               fmt::format("the bias is off by up to {:.3g} steps of the output: {:.4g} in channel {}, the reference has {:.4g}", steps,
                           (*found)[channel], channel, (*wanted)[channel]),
               {{"output_steps", steps},
                {"channel", static_cast<double>(channel)},
                {"bias", (*found)[channel]},
                {"reference_bias", (*wanted)[channel]}});
}

void run(const CheckContext& context, Findings& findings) {
  std::vector<int> equal;
  for (const WeightDifference& each : weight_differences(context)) {
    if (each.beyond == 0) equal.push_back(each.node);
  }
  for (const OperatorPair& pair : context.pairs) {
    if (std::binary_search(equal.begin(), equal.end(), pair.model)) check_layer(context, pair, findings);
  }
}

constexpr CheckDef kCheck{"wrong-bias", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_wrong_bias
