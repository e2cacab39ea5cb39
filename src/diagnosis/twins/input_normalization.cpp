// Normalization of the input inside one of the models: as operators of its own, or folded into the first layer.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"
#include "core/joined.h"
#include "diagnosis/whole/data_remarks.h"
#include "diagnosis/whole/twins.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::twin_input_normalization {
namespace {

/// A factor of the first layer's weights that no rounding makes, and how alike they must be but for it.
constexpr double kFactor = 1.05, kSameDirection = 0.98;

/// Arithmetic with constants between the first graph input and the first layer with weights, in order: "SUB, DIV"; the count too.
std::vector<std::string> steps_before_first_layer(const quant::GraphIndex& graph) {
  std::vector<std::string> steps;
  if (graph.graph().inputs.empty()) return steps;
  int tensor = graph.graph().inputs[0];
  for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
    const auto& readers = graph.readers(tensor);
    if (readers.size() != 1 || weights_of(graph, readers[0]) != kNoTensor) break;
    const Operator& op = graph.op(readers[0]);
    if (kernels::is_arithmetic(kernels::kind_of(op)) && graph.data_inputs(readers[0]).size() == 1) steps.push_back(op.type);
    tensor = output_of(op, 0);
    if (tensor == kNoTensor) break;
  }
  return steps;
}

/// By how much the quantized first layer's weights are larger, all alike; 1 where they are not the same but for that.
double factor_of_first(const TwinLayers& layers) {
  if (layers.pairs.size() < 2 || layers.moved() != 1 || !layers.pairs.front().moved()) return 1;
  const LayerPair& first = layers.pairs.front();
  std::vector<double> factors;
  for (const ChannelFit& channel : first.channels) {
    if (channel.cosine < kSameDirection) return 1;
    factors.push_back(channel.factor);
  }
  if (factors.empty()) return 1;
  const auto [low, high] = std::minmax_element(factors.begin(), factors.end());
  return *low > 0 && *high < kFactor * *low ? (*low + *high) / 2 : 1;
}

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const bool foreign = !foreign_input(evidence.symptoms).empty();
  if (!evidence.differ() && !foreign) return std::nullopt;  // both are right, each in its own way
  constexpr std::string_view kAdvice =
      "so data that are right for one are wrong for the other. Convert both with the normalization inside, or both without it, and feed "
      "them accordingly; which of the two these data are for cannot be seen without labels (--labels)";
  const auto f = steps_before_first_layer(evidence.r()), q = steps_before_first_layer(evidence.q());
  if (f.size() != q.size()) {
    const bool ours = f.size() > q.size();
    return GlobalRemark{"normalization inside",
                        fmt::format("the {} model normalizes its input itself ({} before its first layer), the other one has {}: {}",
                                    ours ? "float" : "quantized", joined(ours ? f : q, ", "),
                                    std::min(f.size(), q.size()) == 0 ? "no such operator" : "fewer", kAdvice)};
  }
  const double factor = factor_of_first(evidence.layers);
  if (!evidence.differ() || std::max(factor, 1 / factor) < kFactor) return std::nullopt;
  return GlobalRemark{"normalization inside",
                      fmt::format("the first layer's weights are {:.4g} times the float model's, and all other weights are the same, as "
                                  "where the normalization of the input was folded into it in one of the models, {}",
                                  factor, kAdvice)};
}

constexpr TwinDef kTwin{"normalization inside", 8, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_input_normalization
