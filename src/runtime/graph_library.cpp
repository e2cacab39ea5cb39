#include "runtime/graph_library.h"

#include <algorithm>

#include "core/as_size.h"

namespace visq::runtime {
namespace {

/// Enough for the bodies of a model and a few shapes of each, bounded for loops whose shapes grow at every turn.
constexpr std::size_t kGraphsKept = 64;

}  // namespace

Result<std::shared_ptr<const PreparedGraph>> GraphLibrary::get(int subgraph, const std::vector<Shape>& input_shapes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.subgraph == subgraph && entry.shapes == input_shapes; });
  if (found != entries_.end()) return found->graph;
  VISQ_ASSIGN(auto graph, PreparedGraph::prepare_callee(model_, subgraph, mode_, input_shapes, operands_, *this));
  if (entries_.size() == kGraphsKept) entries_.erase(entries_.begin());
  entries_.push_back({subgraph, input_shapes, graph});
  return graph;
}

std::shared_ptr<const PreparedGraph> GraphLibrary::first(int subgraph) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, subgraph, &Entry::subgraph);
  return found == entries_.end() ? nullptr : found->graph;
}

Result<std::optional<std::vector<Shape>>> GraphLibrary::output_shapes(int subgraph, const std::vector<Shape>& input_shapes) {
  VISQ_ASSIGN(const auto graph, get(subgraph, input_shapes));
  std::optional<std::vector<Shape>> shapes(std::in_place);
  for (const int output : graph->subgraph().outputs) {
    const PreparedTensor& tensor = graph->tensors()[as_size(output)];
    if (tensor.missing) {
      return unsupported("{}: subgraph {} cannot give its output '{}'", model_->path, subgraph, tensor.value.info->name);
    }
    if (!tensor.shape_known) shapes.reset();
    if (shapes) shapes->push_back(tensor.value.shape);
  }
  return shapes;
}

}  // namespace visq::runtime
