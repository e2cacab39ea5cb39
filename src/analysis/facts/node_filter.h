// `--nodes GLOB` and `--ops TYPE`: which feature maps a user asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visq/status.h"

namespace visq::analysis {

class NodeFilter {
 public:
  /// `nodes`: exact names or globs (`*`, `?`, `[…]`), `ops`: operator types. Both empty: everything passes.
  NodeFilter(std::vector<std::string> nodes, std::vector<std::string> ops) : nodes_(std::move(nodes)), ops_(std::move(ops)) {}

  /// A pattern that equals a name takes only that name, even if it would match others as a glob. Call for every name that there is
  /// before the first passes().
  void learn_name(std::string_view name);
  /// `names`: all names that the map goes by (either model's); `op`: its operator type.
  bool passes(std::vector<std::string_view> names, std::string_view op) const;

 private:
  std::vector<std::string> nodes_, ops_;
  std::vector<bool> exact_ = std::vector<bool>(nodes_.size(), false);
};

}  // namespace visq::analysis
