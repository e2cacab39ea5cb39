// How much arithmetic an operator is: the rules that definitions of operators name (OpDef::multiply_adds).
#pragma once

#include "kernels/op_facts.h"

namespace visq::kernels {

/// Of an operator, by its definition: 0 where it is not made of products and sums, nothing where the shapes do not tell.
std::optional<std::int64_t> multiply_adds(const Subgraph& graph, const Operator& op);

/// Of filters: each element of the output is a sum over those elements of the filter that share one index of its channel axis.
std::optional<std::int64_t> filter_multiply_adds(const Subgraph& graph, const Operator& op);

/// Of transposed filters: each element of the data is spread over those elements of the filter that share one index of its last axis.
std::optional<std::int64_t> spreading_multiply_adds(const Subgraph& graph, const Operator& op);

/// Of recurrent layers: every constant matrix is applied once per batch and time step, whose number is what is left of the input without
/// its last axis. What gates do element by element is not counted.
std::optional<std::int64_t> recurrent_multiply_adds(const Subgraph& graph, const Operator& op);

/// Elements of the output times the size of axis `axis` (negative: from the end) of input 0: each element is a sum along it.
std::optional<std::int64_t> product_multiply_adds(const Subgraph& graph, const Operator& op, int axis);

}  // namespace visq::kernels
