// Who a feature map is, in the words of results.
#pragma once

#include <string>
#include <string_view>
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
  const std::string& display(int tensor) const { return displays_[as_size(tensor)]; }
  /// What the model's signature calls an input or output; empty: nothing.
  std::string_view alias(int tensor) const { return subgraph_ == 0 ? signature_name(model_, tensor) : std::string_view(); }
  /// All that users may call it.
  std::vector<std::string_view> all(int tensor) const { return {name(tensor), display(tensor), alias(tensor)}; }
  bool goes_by(int tensor, std::string_view word) const {
    return name(tensor) == word || display(tensor) == word || (!word.empty() && alias(tensor) == word);
  }

 private:
  struct Place {
    int node = -1;
    int output = 0;
  };
  const Model& model_;
  const Subgraph& graph_;
  int subgraph_;
  std::vector<std::string> names_, displays_;
  std::vector<Place> places_;
};

/// All that users may call a pair of maps: the short name is the reference's, since that is what they are shown.
std::vector<std::string_view> all_names(const MapIdentity& reference, const MapIdentity& quantized);

}  // namespace visq::analysis
