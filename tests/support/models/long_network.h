// Networks as long as one likes, for what must stay fast: blocks of four operators with a residual, behind one another.
#pragma once

#include <string>

#include "visq/model.h"

namespace visq::testing {

/// A TFLite file of `blocks` blocks LOGISTIC, MUL, ADD, TANH on 8 values; `quantized`: in int8. `scoped`: names say stage and block.
std::string long_network(int blocks, bool quantized, bool scoped);

}  // namespace visq::testing
