// The sets of parts that trials quantize: with nearly everything in each of them, they take the square of the model's length.
#pragma once

#include <vector>

#include "analysis/trials/quantized_parts.h"
#include "core/available_memory.h"

namespace visq::analysis {

class TrialSets {
 public:
  /// Errors: kBadInput where the sets together take more memory than there is.
  Status add(PartSet set);
  const std::vector<PartSet>& all() const { return sets_; }
  std::size_t size() const { return sets_.size(); }

 private:
  std::vector<PartSet> sets_;
  std::vector<MemoryClaim> claims_;
};

}  // namespace visq::analysis
