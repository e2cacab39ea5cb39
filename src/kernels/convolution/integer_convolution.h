// What all operators that are convolutions share on stored integers: LiteRT's integer arithmetic to the bit, and its hybrid arithmetic
// (float activations quantized on the fly, integer weights).
#pragma once

#include <memory>

#include "kernels/convolution/convolution_spec.h"
#include "kernels/fixed_point/output_stage.h"

namespace visq::kernels {

/// What an operator's integer arithmetic does its own way.
struct IntegerRules {
  Scaling scaling = Scaling::kFixedPoint;
  bool float_product = false;  ///< input and filter scale are multiplied in float32; those of uint8 in fixed point always are
  bool wide_sums = false;      ///< sums of 64 bits whatever the bias has
  bool filter_zero_point =
      false;                ///< it counts for int8 and int16 activations too, where the filter has one scale; for uint8 it always does
  bool asymmetric = false;  ///< hybrid: the input's range need not be symmetric
  bool filter_scale_first = false;  ///< hybrid: (sum * filter scale) * input scale, else sum * (input scale * filter scale)
  bool scale_per_pixel = false;     ///< hybrid: each input pixel has a scale of its own, not each image
};

/// A kernel for output 0, which it declares. Activations int8, uint8, int16 or, with quantized weights, float32. Weights may be computed
/// at run time. Errors: types, scales and zero points that the arithmetic has no place for; a bias of the wrong length.
Result<std::unique_ptr<Kernel>> make_integer_convolution(PrepareContext& context, const ConvolutionSpec& spec, const IntegerRules& rules);

}  // namespace visq::kernels
