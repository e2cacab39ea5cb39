#include "model/onnx/graph_names.h"

#include <set>

#include "core/as_size.h"
#include "model/onnx/value_info.h"
#include "model/slots.h"

namespace visq::loader::onnx {

TensorInfo& GraphNames::tensor(int index) { return graph_.tensors[as_size(index)]; }
bool GraphNames::typed(int index) const { return typed_[as_size(index)]; }
void GraphNames::set_typed(int index) { typed_[as_size(index)] = true; }

int GraphNames::add(std::string name) {
  const int index = static_cast<int>(graph_.tensors.size());
  graph_.tensors.emplace_back().name = std::move(name);
  typed_.push_back(false);
  return index;
}

Result<int> GraphNames::find(Scope& scope, const std::string& name) {
  if (const Known seen = known(scope, name); seen.yes) return seen.tensor;
  return make(scope, name);
}

Result<int> GraphNames::make(Scope& scope, const std::string& name) {
  const auto [entry, is_new] = scope.names.emplace(name, static_cast<int>(graph_.tensors.size()));
  if (!is_new) return entry->second;
  const int index = add(scope.prefix + name);
  if (!scope.prefix.empty()) prefixed_.push_back(index);
  TensorInfo& made = tensor(index);
  made.has_rank = false;
  if (const auto value = scope.values.find(name); value != scope.values.end()) {
    VISQ_ASSIGN(const bool is_typed, read_value(value->second, made, place_.tensor(index, made.name)));
    if (is_typed) set_typed(index);
  }
  return index;
}

GraphNames::Known GraphNames::known(Scope& scope, const std::string& name) {
  if (const auto own = scope.names.find(name); own != scope.names.end()) return {true, own->second};
  if (scope.closed || around_ == nullptr) return {};
  const Known outer = around_->known(*scope_, name);
  if (!outer.yes) return {};
  const int index = outer.tensor == kNoTensor ? kNoTensor : capture(outer.tensor);
  scope.names.emplace(name, index);
  return {true, index};
}

/// A value of the graph around becomes an input; a constant is shared.
int GraphNames::capture(int outer) {
  const int index = add({});
  tensor(index) = around_->tensor(outer);
  typed_[as_size(index)] = around_->typed(outer);
  if (tensor(index).is_constant) return index;
  graph_.inputs.push_back(index);
  captured_.push_back(outer);
  return index;
}

void GraphNames::tell_apart() {
  if (prefixed_.empty()) return;
  std::set<std::string> taken;
  const std::set<int> of_functions(prefixed_.begin(), prefixed_.end());
  for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
    if (!of_functions.contains(static_cast<int>(i))) taken.insert(graph_.tensors[i].name);
  }
  for (const int index : prefixed_) {
    const std::string name = tensor(index).name;
    for (int count = 2; !taken.insert(tensor(index).name).second; ++count) tensor(index).name = name + "_" + std::to_string(count);
  }
}

}  // namespace visq::loader::onnx
