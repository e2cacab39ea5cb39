// An operator of a float graph that computes on stored integers, as a device does: its inputs go onto their grids, the integer kernel runs,
// and its codes become real values again. So a partly quantized run has the errors of fixed-point functions (SOFTMAX, RSQRT and EXP of 16
// bits interpolate tables), which rounding of exact results leaves out.
#pragma once

#include <functional>
#include <memory>

#include "runtime/prepared_graph.h"

namespace visq::analysis {

/// The grid of a tensor of the graph, by its index; null: none.
using GridOf = std::function<const TensorInfo*(int tensor)>;

/// Node `node` of `graph` on these grids; what they point to must outlive the kernel. Null where rounding tells the same: operators that
/// only move values, and those with weights (their sums are exact); and where the operator has no such integer kernel.
std::shared_ptr<const kernels::Kernel> stored_kernel(const runtime::PreparedGraph& graph, int node, const GridOf& grid_of);

}  // namespace visq::analysis
