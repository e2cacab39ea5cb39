// What must hold between the operators of a graph, and between graphs.
#pragma once

#include "model/place.h"
#include "visq/model.h"

namespace visq::loader {

/// Every tensor has at most one source, and every value is there before it is read: operators stand in execution order. Variables alone may
/// be read first, since they hold what the last run left. No operator reads what it writes, and none two each other's outputs. Tensors
/// without elements that nothing makes become constants (converters leave an empty buffer for them). Tensor indices must be in range.
Status check_data_flow(Subgraph& subgraph, const Place& place);

/// Options that name subgraphs name existing ones, and no graph calls itself, directly or through others.
Status check_calls(const Model& model, const Place& file);

}  // namespace visq::loader
