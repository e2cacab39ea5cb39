// The one node that a name stands for, and the parts of two models that it takes to compute it in both.
#pragma once

#include <string>

#include "analysis/pairs/compare_plan.h"
#include "quant/paired_segment.h"

namespace visq::analysis {

struct NodeChoice {
  std::size_t pairing = 0;   ///< of plan.pairings(): the pair of subgraphs it stands in
  quant::TensorMatch match;  ///< the pair of maps that was asked for, or the nearest behind it
  quant::PairedSegment segment;
  std::string remark;  ///< says so where it is another one; empty where it is the one asked for
};

/// `name`: of a feature map of either model, or a glob. A map without partner (fused away, or inserted) is taken with what follows, up to
/// the first paired map. Names of the main graph come before those of called subgraphs. Errors: kUsage where the name fits no node or
/// several; kBadInput where the node cannot stand alone.
Result<NodeChoice> choose_node(const ComparePlan& plan, const std::string& name);

}  // namespace visq::analysis
