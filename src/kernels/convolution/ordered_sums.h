// Sums of float products that are added up one after the other, in the order of LiteRT's reference kernels, each product and each sum
// rounded: results equal to the bit, on every CPU. For integer runs; slower than the kernel libraries.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/convolution/convolution_spec.h"
#include "kernels/op.h"

namespace visq::kernels {

/// sums[c] = (…((sums[c] + values[0] * weights[0, c]) + values[1] * weights[1, c]) …) for weights [depth, channels].
void add_in_order(const float* values, std::int64_t depth, const float* weights, std::int64_t channels, float* sums);

/// As make_convolution(), for real operands: sums over the window's rows, columns, input channels, then the bias; transposed: over the
/// input's rows, columns, channels.
Result<std::unique_ptr<Kernel>> make_ordered_convolution(PrepareContext& context, const ConvolutionSpec& spec);

/// Prepare of an operator that is a convolution.
template <auto Spec>
Result<std::unique_ptr<Kernel>> prepare_ordered_convolution(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, Spec(context));
  return make_ordered_convolution(context, spec);
}

}  // namespace visq::kernels
