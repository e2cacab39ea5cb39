// What operators of different formats are to each other: Conv of ONNX is CONV_2D or DEPTHWISE_CONV_2D of TFLite.
#pragma once

#include <string_view>

#include "visq/model.h"

namespace visq::kernels {

/// The work that an operator does, under a name that is the same in all formats: mostly that of TFLite. Its own type where no other format
/// has it.
std::string_view common_type(const Operator& op);

}  // namespace visq::kernels
