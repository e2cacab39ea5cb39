// DEPTHWISE_CONV_2D on stored integers with real results, for CPUs with VNNI or AVX2: the libraries' kernels are several times slower
// than the instructions allow.
#pragma once

#include <memory>

#include "kernels/convolution/convolution_spec.h"
#include "kernels/convolution/integer_sums.h"

namespace visq::kernels {

/// scale[c] * (sum of (qx - zx) * filter + bias[c]), the sum exact in int32, the rest in float32, clamped. Takes what it needs from `sums`.
/// Null where the shape is no depthwise convolution with one output per input channel, a weight does not fit, or the CPU cannot do it.
std::unique_ptr<Kernel> make_depthwise_int8(const ConvolutionSpec& spec, IntegerSums& sums);

}  // namespace visq::kernels
