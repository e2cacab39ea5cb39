// Convolutions with three taps along the width by Winograd's F(4, 3) (Lavin, Gray 2016): four neighbouring results take six products of
// transformed columns instead of twelve. The height stays a direct convolution, so windows of any height will do: one-dimensional
// convolutions, and 3x3 ones of too few channels for the library's own transform in both directions.
//
// The products are one convolution of oneDNN with six groups, block by block of what fits into the cache.
#pragma once

#include <memory>

#include "kernels/backend/onednn.h"

namespace visq::kernels::backend {

/// Float32 with filter and bias given, the filter in layout OHWI. Rounds two to three times as much as the direct kernel. For finite maps,
/// whose differences are finite too. Null where the convolution is another, or the library has no generated kernel for the products.
std::unique_ptr<OneDnnPrimitive> make_row_winograd(const OneDnnConvolution& convolution);

}  // namespace visq::kernels::backend
