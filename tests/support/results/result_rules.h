// What a result must be like beside LiteRT's:
//   float                        |got - want| <= 1e-5 * max(1, largest |want|), NaN in the same places, infinity as the largest float
//   integers, bool, strings      equal
//   quantized, integer run       the same stored integers
//   quantized, fake-quant run    within 1.01 steps on 95 % of the elements, within 2.01 on all; where values only move, within 0.02
#pragma once

#include <string>

#include "visq/mode.h"
#include "visq/model.h"
#include "visq/tensor.h"

namespace visq::testing {

/// What is wrong with a result, in one line with its first place; empty where nothing is.
std::string mismatch(const Array& got, const Array& want, const TensorInfo& info, Mode mode, bool moves);

}  // namespace visq::testing
