// Products of integers that are scaled at once, as ONNX Runtime's dynamic quantization writes them, as products of real values.
#pragma once

#include <string_view>
#include <vector>

#include "visq/model.h"

namespace visq::loader::onnx {

/// An operator of the standard's domain.
Operator standard_operator(std::string_view type, int version, std::vector<int> inputs, std::vector<int> outputs);

/// ConvInteger or MatMulInteger of what DynamicQuantizeLinear gives and of constant codes, cast to float32 and multiplied by both scales:
/// Conv or MatMul of their real values. What then is read no more is dropped.
void spread_scaled_products(Subgraph& graph, int version);

}  // namespace visq::loader::onnx
