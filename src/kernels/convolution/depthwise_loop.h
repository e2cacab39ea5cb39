// The loop over one row of output, for vectors of whatever instruction set. Included by the files that are compiled for one, behind their
// VISQ_ROWS, the attribute that says for which.
#pragma once

#include <algorithm>

#include "kernels/convolution/depthwise_rows.h"

namespace visq::kernels::depthwise {
namespace {

/// A vector of channels after the other, each along the row: its constants stay in registers.
/// kTaps is the number of taps where that is known to the compiler, or 0.
template <class Vectors, std::size_t kTaps>
VISQ_ROWS void multiply_row(const Steps& steps, const Packed& packed, backend::Clamp clamp, const std::int32_t* source, float* target) {
  using Ints = typename Vectors::Ints;
  using Floats = typename Vectors::Floats;
  const std::size_t taps = kTaps != 0 ? kTaps : packed.offsets.size();
  const std::int64_t in_step = steps.unit_in, out_step = steps.channels;
  const Floats low = Vectors::filled(clamp.low), high = Vectors::filled(clamp.high);
  for (std::int64_t c = 0; c < steps.channels; c += Vectors::kLanes) {
    const Ints start = Vectors::load(packed.start.data() + c);
    const Floats bias = Vectors::load(packed.bias.data() + c), scales = Vectors::load(packed.scales.data() + c);
    const std::int32_t* const weights = packed.weights.data() + c;
    Ints kept[kTaps != 0 ? kTaps : 1];
    for (std::size_t t = 0; t < kTaps; ++t) kept[t] = Vectors::load(weights + static_cast<std::int64_t>(t) * packed.lanes);
    const std::int32_t* unit = source + c;
    float* to = target + c;
    for (std::int64_t u = 0; u < steps.units; ++u, unit += in_step, to += out_step) {
      Ints sum = start;
      for (std::size_t t = 0; t < taps; ++t) {
        const Ints tap = kTaps != 0 ? kept[kTaps != 0 ? t : 0] : Vectors::load(weights + static_cast<std::int64_t>(t) * packed.lanes);
        sum = Vectors::add_products(sum, Vectors::load(unit + packed.offsets[t]), tap);
      }
      const Floats result = Vectors::finished(sum, bias, scales, low, high);
      const std::int64_t left = std::min(steps.channels - c, steps.row - u * out_step - c);
      left >= Vectors::kLanes ? Vectors::store(to, result) : Vectors::store_first(to, result, left);
    }
  }
}

}  // namespace
}  // namespace visq::kernels::depthwise
