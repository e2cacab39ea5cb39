#include "visqerror/sessions/real_operators.h"

#include <set>

#include "core/as_size.h"
#include "core/joined.h"
#include "runtime/prepared_graph.h"
#include "runtime/real_kernel.h"

namespace visq::tool {

void say_if_on_reals(const SharedModel& model, Mode mode, const Console& console) {
  if (mode != Mode::kInteger || model->format != "circle") return;
  std::vector<Shape> shapes;
  for (const int input : model->main().inputs) shapes.push_back(model->main().tensors[as_size(input)].shape);
  const auto graph = runtime::PreparedGraph::prepare(model, 0, mode, shapes);
  if (!graph.ok()) return;  // the run will say why
  std::set<std::string> types;
  for (const runtime::PreparedNode& node : (*graph)->nodes()) {
    if (runtime::is_on_reals(node.kernel.get())) types.insert(node.op->label());
  }
  if (types.empty()) return;
  console.warn(fmt::format(
      "{}: no integer arithmetic is defined for {} as they stand here: computed on real values, rounded to their outputs' grids",
      model->path, joined(types, ", ")));
}

}  // namespace visq::tool
