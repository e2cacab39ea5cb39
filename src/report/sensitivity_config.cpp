// The most sensitive operators as a quantizer's configuration.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/as_size.h"
#include "visq/graph.h"
#include "visq/report/sensitivity.h"

namespace visq::report {
namespace {

/// The type that most feature maps of the quantized model are stored in.
std::string common_dtype(const SensitivityResult& result) {
  std::map<std::string, int> counts;
  for (const Sensitivity& node : result.nodes) ++counts[node.part.quant_dtype.substr(0, node.part.quant_dtype.find('/'))];
  std::string most = "int8";
  for (const auto& [dtype, count] : counts) {
    if (!dtype.empty() && count > (counts.contains(most) ? counts[most] : 0)) most = dtype;
  }
  return most;
}

std::vector<int> operators_of(const SensitivePart& part, const Subgraph& graph) {
  if (part.reference.node >= 0) return {part.reference.node};
  std::vector<int> readers;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const auto& inputs = graph.operators[i].inputs;
    const bool reads = std::find(inputs.begin(), inputs.end(), part.reference.tensor) != inputs.end();
    if (reads && !graph.operators[i].outputs.empty()) readers.push_back(static_cast<int>(i));
  }
  return readers;
}

}  // namespace

QuantizerConfig sensitivity_config(const SensitivityResult& result, const Model& reference, std::size_t count) {
  QuantizerConfig config;
  config.model = std::filesystem::path(reference.path).filename().string();
  config.default_dtype = common_dtype(result);
  const auto names = tensor_names(reference.main()), shown = display_names(reference.main());
  std::vector<const Sensitivity*> ranked;
  for (const Sensitivity& node : result.nodes) ranked.push_back(&node);
  std::sort(ranked.begin(), ranked.end(), [](const auto* a, const auto* b) { return a->rank < b->rank; });
  std::vector<int> taken;
  for (const Sensitivity* node : ranked) {
    for (const int index : operators_of(node->part, reference.main())) {
      if (config.layers.size() == count || std::find(taken.begin(), taken.end(), index) != taken.end()) continue;
      taken.push_back(index);
      const Operator& op = reference.main().operators[as_size(index)];
      QuantizerConfig::Layer layer;
      layer.op = op.label();
      for (const int output : op.outputs) layer.outputs.push_back(names[as_size(output)]);
      layer.name = layer.outputs.front();
      layer.display = shown[as_size(op.outputs.front())];
      config.layers.push_back(std::move(layer));
    }
  }
  std::set<int> made;
  for (const int index : taken) {
    const auto& outputs = reference.main().operators[as_size(index)].outputs;
    made.insert(outputs.begin(), outputs.end());
  }
  const auto& outputs = reference.main().outputs;
  config.outputs_follow = std::all_of(outputs.begin(), outputs.end(), [&](int output) { return made.contains(output); });
  return config;
}

}  // namespace visq::report
