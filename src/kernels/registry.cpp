// The operator table: gathered by CMake from the files in ops/, sorted once by name.
#include <algorithm>

#include "kernels/op.h"

namespace visq::kernels {

std::vector<const OpDef*> ops_all();  // generated

std::span<const OpDef* const> all_ops() {
  static const std::vector<const OpDef*> sorted = [] {
    auto all = ops_all();
    std::sort(all.begin(), all.end(), [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
    return all;
  }();
  return sorted;
}

const OpDef* find_op(std::string_view label) {
  const auto all = all_ops();
  const auto found =
      std::lower_bound(all.begin(), all.end(), label, [](const OpDef* op, std::string_view name) { return op->name < name; });
  return found != all.end() && (*found)->name == label ? *found : nullptr;
}

}  // namespace visq::kernels
