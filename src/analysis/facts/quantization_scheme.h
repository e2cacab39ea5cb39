// How a model is quantized, in words.
#pragma once

#include <string>

#include "visq/model.h"

namespace visq {

/// One line, e.g. "int8 per channel, full integer"; "int16x8 per channel, float inputs and outputs";
/// "partly quantized: 9 of 625 operators int8"; "dynamic range (int8 weights, float activations)"; "float16 constants"; "float32".
/// An operator counts as quantized where an output is stored as integers with a scale, as float where one is a float; QUANTIZE and
/// DEQUANTIZE stand between the two and count as neither, nor do operators on indices and masks.
std::string quantization_scheme(const Model& model);

/// Operators with float outputs read quantized constants as they are stored: kernels round to 8 bits what they multiply with them, in each
/// run.
bool has_hybrid_kernels(const Model& model);

}  // namespace visq
