#include "analysis/scores/scored_outputs.h"

#include <algorithm>
#include <optional>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "model/printable.h"

namespace visq::analysis {
namespace {

constexpr std::size_t kShortest = 3, kLongest = 4;

std::optional<std::size_t> place_among_outputs(const Model& model, const std::string& name) {
  const MapNames names(model, 0);
  const std::vector<int>& outputs = model.main().outputs;
  const auto found = std::ranges::find_if(outputs, [&](int output) { return names.goes_by(output, name); });
  return found == outputs.end() ? std::nullopt : std::optional(as_size(found - outputs.begin()));
}

/// "'boxes' [1, 10, 4], 'scores' [1, 10]"
std::string list_of_outputs(const Model& model) {
  std::vector<std::string> words;
  for (const int output : model.main().outputs) {
    const TensorInfo& tensor = model.main().tensors[as_size(output)];
    words.push_back(fmt::format("'{}' {}", printable(tensor.name), to_string(tensor.shape)));
  }
  return words.empty() ? "none" : joined(words, ", ");
}

}  // namespace

Result<std::vector<int>> outputs_called(const std::vector<std::string>& names, const Model& model, const Model& reference) {
  std::vector<int> tensors;
  for (const std::string& name : names) {
    auto place = place_among_outputs(model, name);
    if (!place) place = place_among_outputs(reference, name);
    if (!place || *place >= model.main().outputs.size()) {
      return usage_error("--output-node: {} has no output '{}' (it has {}){}", model.path, printable(name), list_of_outputs(model),
                         name_hint(name, {&model, &reference}));
    }
    tensors.push_back(model.main().outputs[*place]);
  }
  return tensors;
}

Result<BoxOutputs> box_outputs(const std::vector<std::string>& names, const Model& model, const Model& reference) {
  std::vector<int> tensors;
  if (!names.empty()) {
    if (names.size() < kShortest || names.size() > kLongest) {
      return usage_error("--output-node: boxes need three or four outputs: BOXES,CLASSES,SCORES,COUNT");
    }
    VISQ_ASSIGN(tensors, outputs_called(names, model, reference));
  } else {
    const Subgraph& graph = model.main();
    const auto found = std::ranges::find(graph.operators, "TFLite_Detection_PostProcess", &Operator::custom_code);
    const auto is_output = [&](int tensor) { return std::ranges::find(graph.outputs, tensor) != graph.outputs.end(); };
    if (found == graph.operators.end() || found->outputs.size() != kLongest || !std::ranges::all_of(found->outputs, is_output)) {
      return bad_input(
          "{}: its outputs ({}) are not the boxes, classes, scores and count of a TFLite_Detection_PostProcess, by which boxes are scored; "
          "--output-node BOXES,CLASSES,SCORES,COUNT names such outputs, and --eval judges any others",
          model.path, list_of_outputs(model));
    }
    tensors = found->outputs;
  }
  return BoxOutputs{tensors[0], tensors[1], tensors[2], tensors.size() == kLongest ? tensors[3] : -1};
}

}  // namespace visq::analysis
