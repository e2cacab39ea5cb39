// Who a feature map is, in the words of results.
#pragma once

#include <string>
#include <vector>

#include "core/as_size.h"
#include "visq/compare.h"
#include "visq/model.h"

namespace visq::analysis {

/// Names the feature maps of one subgraph (see tensor_names) and knows where each is made.
class MapNames {
 public:
  MapNames(const Model& model, int subgraph);
  MapIdentity identity(int tensor) const;
  const std::string& name(int tensor) const { return names_[as_size(tensor)]; }

 private:
  struct Place {
    int node = -1;
    int output = 0;
  };
  const Subgraph& graph_;
  int subgraph_;
  std::vector<std::string> names_;
  std::vector<Place> places_;
};

}  // namespace visq::analysis
