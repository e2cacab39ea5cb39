// The grid that a QuantizeLinear or DequantizeLinear operator states by constants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

struct ConstantGrid {
  DType type = DType::kUInt8;  ///< of the stored values
  Quantization quantization;   ///< as many zero points as scales
};

/// Nothing where scale or zero point are no constants, or there are scales per block. Errors: kBadInput at `place` where they do not fit
/// together.
Result<std::optional<ConstantGrid>> constant_grid(const Operator& op, const Subgraph& graph, const Place& place);

/// A float32 constant on a grid of 8 or 16 bits as QuantizeLinear rounds it: half to even, what lies beyond to the ends. Nothing for other
/// types. Errors: kBadInput at `place` where the grid does not fit the constant's shape.
Result<std::optional<std::vector<std::byte>>> quantized_codes(const TensorInfo& real, const ConstantGrid& grid, const Place& place);

/// The name in the float model of what DequantizeLinear makes of a constant. Source: the names that ONNX Runtime's quantizer gives.
std::string float_name(const std::string& real, const std::string& stored);

}  // namespace visq::loader::onnx
