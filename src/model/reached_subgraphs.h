// Which subgraphs run when some operators do.
#pragma once

#include <set>
#include <vector>

#include "visq/model.h"

namespace visq {

/// The subgraphs that these operators call, directly or through others. The model's calls are checked (check_calls).
std::set<int> reached_subgraphs(const Model& model, std::vector<const Operator*> callers);

}  // namespace visq
