// find_shapes: what preparing a graph tells of shapes that a file leaves out.
#include "visq/models/find_shapes.h"

#include <algorithm>

#include "core/as_size.h"
#include "runtime/prepared_graph.h"

namespace visq {

void find_shapes(Model& model) {
  std::vector<TensorInfo>& tensors = model.subgraphs.front().tensors;
  if (std::ranges::all_of(tensors, &TensorInfo::has_rank)) return;
  std::vector<Shape> inputs;
  for (const int input : model.main().inputs) inputs.push_back(tensors[as_size(input)].shape);
  const auto graph = runtime::PreparedGraph::prepare(std::make_shared<const Model>(model), 0, Mode::kFp32, inputs);
  if (!graph.ok()) return;  // a run will say why
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const runtime::PreparedTensor& found = (*graph)->tensors()[i];
    if (tensors[i].has_rank || !found.shape_known || found.missing) continue;
    tensors[i].shape = found.value.shape;
    tensors[i].has_rank = true;
  }
}

}  // namespace visq
