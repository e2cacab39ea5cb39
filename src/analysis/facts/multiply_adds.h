// How much arithmetic an operator is, from its static shapes.
#pragma once

#include <cstdint>
#include <optional>

#include "visq/model.h"

namespace visq {

/// Multiply-adds (one product and one sum) of the operators that are made of them: convolutions, matrix products and recurrent
/// layers (there, their matrices only, once per time step); 0 for all others; nothing where the shapes do not tell. A bias is not
/// counted, padding counts as data, and a dynamic axis counts as its stored size.
std::optional<std::int64_t> multiply_adds(const Subgraph& graph, const Operator& op);

}  // namespace visq
