// What accumulate() works out before the first record: the parts of each curve, and the feature maps that are measured.
#pragma once

#include <string>
#include <vector>

#include "analysis/trials/part_names.h"
#include "visq/accumulate.h"

namespace visq::analysis {

struct AccumulatePlan {
  struct Node {
    std::vector<std::size_t> outputs;  ///< positions in `tensors`
  };
  std::vector<PartSet> trials;  ///< one per curve
  std::vector<int> tensors;     ///< of the reference's main graph: those of all nodes and the graph's outputs, each once
  std::vector<Node> nodes;      ///< parallel to AccumulateResult::nodes
  Node outputs;                 ///< the graph's
};

/// Resolves names and fills in what `result` says of curves, nodes and outputs. Errors: kUsage where no part or node bears a name;
/// kBadInput for a ranking of another model.
Result<AccumulatePlan> plan_accumulation(const PartialModels& models, const AccumulateOptions& options, AccumulateResult& result);

}  // namespace visq::analysis
