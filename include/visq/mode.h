// The three modes of execution.
#pragma once

#include <cstdint>
#include <string_view>

#include "visq/model.h"

namespace visq {

/// How a model is executed. fp32: constants dequantized, all arithmetic in float. fake-quant: as fp32, and every quantized tensor
/// rounded to its grid. integer: the arithmetic of the TFLite reference kernels.
enum class Mode : std::uint8_t { kFp32, kFakeQuant, kInteger };

/// "fp32", "fake-quant", "integer".
std::string_view name(Mode mode);

/// fake-quant if any activation (graph input or operator output) of the model is quantized, else fp32.
Mode default_mode(const Model& model);

}  // namespace visq
