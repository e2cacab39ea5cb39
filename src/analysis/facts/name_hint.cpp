#include "analysis/facts/name_hint.h"

#include <algorithm>
#include <string_view>

#include "core/as_size.h"
#include "core/suggest.h"
#include "visq/graph.h"

namespace visq::analysis {
namespace {

using Words = std::vector<std::string>;

/// Both what files and what people call them.
Words map_names(std::initializer_list<const Model*> models) {
  Words names;
  for (const Model* model : models) {
    for (const Subgraph& graph : model->subgraphs) {
      const auto shown = display_names(graph);
      const auto add = [&](int tensor) {
        if (tensor >= 0) names.insert(names.end(), {graph.tensors[as_size(tensor)].name, shown[as_size(tensor)]});
      };
      std::for_each(graph.inputs.begin(), graph.inputs.end(), add);
      for (const Operator& op : graph.operators) std::for_each(op.outputs.begin(), op.outputs.end(), add);
    }
  }
  return names;
}

Words op_types(std::initializer_list<const Model*> models) {
  Words types;
  for (const Model* model : models) {
    for (const Subgraph& graph : model->subgraphs) {
      for (const Operator& op : graph.operators) {
        if (std::find(types.begin(), types.end(), op.label()) == types.end()) types.push_back(op.label());
      }
    }
  }
  return types;
}

bool is_known(std::string_view word, const Words& words) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// A list of all names, as suggestion() gives for few, would be of no use here.
std::string nearest(std::string_view word, const Words& words) {
  std::string hint = suggestion(word, std::vector<std::string_view>(words.begin(), words.end()));
  return hint.starts_with("; did") ? hint : "";
}

}  // namespace

std::string name_hint(const std::string& word, std::initializer_list<const Model*> models) { return nearest(word, map_names(models)); }

std::string filter_hint(const std::vector<std::string>& nodes, const std::vector<std::string>& ops,
                        std::initializer_list<const Model*> models) {
  const Words names = map_names(models);
  for (const std::string& word : nodes) {
    if (word.find_first_of("*?[") == std::string::npos && !is_known(word, names)) return nearest(word, names);
  }
  const Words types = op_types(models);
  for (const std::string& word : ops) {
    if (!is_known(word, types)) return suggestion(word, std::vector<std::string_view>(types.begin(), types.end()));
  }
  return "";
}

}  // namespace visq::analysis
