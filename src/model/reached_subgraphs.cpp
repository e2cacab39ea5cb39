#include "model/reached_subgraphs.h"

#include "core/as_size.h"

namespace visq {

std::set<int> reached_subgraphs(const Model& model, std::vector<const Operator*> callers) {
  std::set<int> reached;
  while (!callers.empty()) {
    const Operator* op = callers.back();
    callers.pop_back();
    for (const std::int64_t callee : called_subgraphs(*op)) {
      if (!reached.insert(static_cast<int>(callee)).second) continue;
      for (const Operator& inner : model.subgraphs[as_size(callee)].operators) callers.push_back(&inner);
    }
  }
  return reached;
}

}  // namespace visq
