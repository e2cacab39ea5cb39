// What is quantized where some parts are kept float.
#pragma once

#include "analysis/trials/quantized_parts.h"

namespace visq::analysis {

/// Everything but these parts. An operator of which all inputs and weights are kept float writes float too where nobody reads its result:
/// the rounding of a model's output belongs to the operator that makes it.
PartSet kept_float(const PartSet& parts, const QuantizedParts& quantized, const Subgraph& reference);

}  // namespace visq::analysis
