// find_shapes: what preparing a graph tells of shapes that a file leaves out.
#include "visq/models/find_shapes.h"

#include <algorithm>

#include "core/as_size.h"
#include "runtime/graph_library.h"
#include "runtime/prepared_graph.h"

namespace visq {
namespace {

void take_shapes(const runtime::PreparedGraph& graph, std::vector<TensorInfo>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const runtime::PreparedTensor& found = graph.tensors()[i];
    if (tensors[i].has_rank || !found.shape_known || found.missing) continue;
    tensors[i].shape = found.value.shape;
    tensors[i].has_rank = true;
  }
}

}  // namespace

void find_shapes(Model& model) {
  const auto complete = [](const Subgraph& graph) { return std::ranges::all_of(graph.tensors, &TensorInfo::has_rank); };
  if (std::ranges::all_of(model.subgraphs, complete)) return;
  std::vector<Shape> inputs;
  for (const int input : model.main().inputs) inputs.push_back(model.main().tensors[as_size(input)].shape);
  const auto graph = runtime::PreparedGraph::prepare(std::make_shared<const Model>(model), 0, Mode::kFp32, inputs);
  if (!graph.ok()) return;  // a run will say why
  take_shapes(**graph, model.subgraphs.front().tensors);
  for (std::size_t i = 1; i < model.subgraphs.size(); ++i) {
    if (const auto called = (*graph)->library().first(static_cast<int>(i))) take_shapes(*called, model.subgraphs[i].tensors);
  }
}

}  // namespace visq
