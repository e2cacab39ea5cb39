// Values of arrays from one element type to another, for feeding data to models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/tensor.h"

namespace visq::data {

/// The type that holds a quantized type's stored values in data files: int8 for int4 and int2, uint8 for uint4, else the type itself.
DType stored_as(DType type);

/// Any integers, floats or bools as float32 or float64, rounded to nearest.
Array to_floats(const Array& array, DType target);

/// Any integers, floats or bools as an integer type or bool, each value exactly.
/// Errors: kBadInput, "element 5 is 0.5, which int32 cannot hold".
Result<Array> to_integers(const Array& array, DType target);

/// Stored values of a quantized tensor as float32: scale * (q - zero_point), per channel of `axis` where there are several.
Array dequantize(const Array& stored, const Quantization& quantization);

}  // namespace visq::data
