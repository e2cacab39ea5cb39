// The numbers of a layer with weights, as a device reads them.
#pragma once

#include <optional>
#include <vector>

#include "kernels/op.h"
#include "quant/graph_index.h"

namespace visq::analysis {

/// Real values of a constant, also behind DEQUANTIZE; nothing for a tensor that is none, or whose type has no real values.
std::optional<std::vector<float>> constant_values(const quant::GraphIndex& graph, int tensor);

/// Scale of a quantized bias as kernels take it, one per channel: input scale * weight scale, whatever the bias itself states.
/// Nothing where the layer has no quantized bias, input and weights.
std::optional<std::vector<double>> bias_scales(const quant::GraphIndex& graph, const Operator& op);

/// The bias that a device adds; by bias_scales() where it is quantized. Nothing where there is none.
std::optional<std::vector<double>> bias_values(const quant::GraphIndex& graph, const Operator& op);

/// The stored integers of a quantized bias; nothing where there is none.
std::optional<std::vector<std::int64_t>> bias_codes(const quant::GraphIndex& graph, const Operator& op);

}  // namespace visq::analysis
