// Which stored forms kernels take besides the usual eight bits: feature maps of sixteen, weights of four.
#pragma once

#include "visq/model.h"

namespace visq::kernels {

/// The forms of int4 weights that LiteRT's kernels of an operator take and converters write. Source: LiteRT's kernels and the policy of the
/// AI Edge Quantizer. LiteRT unpacks int4 for DEPTHWISE_CONV_2D too, but no converter stores them there.
struct NarrowWeights {
  bool beside_codes = false;  ///< a scale per channel, data in 8 or 16 bits
  bool beside_reals = false;  ///< a scale per channel, data in float32, rounded in the run
  bool blocks = false;        ///< a scale per block of a row; data in float32 only
};

/// Nothing is set where there are none.
NarrowWeights narrow_weights(const Operator& op);

/// True where kernels take this operator with feature maps of 16 bits, symmetric, beside weights of 8.
bool takes_wide_maps(const Operator& op);

}  // namespace visq::kernels
