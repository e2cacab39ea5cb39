#include "analysis/facts/node_filter.h"

#include <fnmatch.h>

#include <algorithm>

namespace visq::analysis {

void NodeFilter::learn_name(std::string_view name) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i] == name) exact_[i] = true;
  }
}

bool NodeFilter::passes(std::vector<std::string_view> names, std::string_view op) const {
  if (!ops_.empty() && std::find(ops_.begin(), ops_.end(), op) == ops_.end()) return false;
  if (nodes_.empty()) return true;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::string_view name : names) {
      if (exact_[i] ? nodes_[i] == name : ::fnmatch(nodes_[i].c_str(), std::string(name).c_str(), 0) == 0) return true;
    }
  }
  return false;
}

}  // namespace visq::analysis
