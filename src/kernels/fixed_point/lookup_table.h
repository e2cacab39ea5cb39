// Tables of a real function between two quantized tensors, as TFLite's reference kernels make them.
// Source: LiteRT 2.3's reference kernels, whose results the project's tests compare bit for bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/as_size.h"
#include "kernels/stored.h"

namespace visq::kernels {

/// round(function(real) / scale) + zero point of a stored 8-bit integer, computed in float32.
template <class T, class Function>
struct StoredFunction {
  StoredGrid in, out;
  Function function;
  T operator()(T q) const {
    const float real = static_cast<float>(in.scale) * static_cast<float>(std::int32_t{q} - in.zero_point);
    const float steps = std::round(function(real) * (1 / static_cast<float>(out.scale)));
    return saturate_whole<T>(steps + static_cast<float>(out.zero_point));
  }
};

/// 513 samples over the range of int16, between which results lie on straight lines.
class InterpolatedTable {
 public:
  /// Real is float or double. A sample lies off the function by half of what the line errs in the middle of its interval.
  template <class Real, class Function>
  static InterpolatedTable of(Real in_scale, std::int32_t in_zero_point, Real out_scale, const Function& function) {
    constexpr Real kLow = -32768, kHigh = 32767;
    const Real first = in_scale * static_cast<Real>(-32768 - in_zero_point), last = in_scale * static_cast<Real>(32767 - in_zero_point);
    const Real step = (last - first) / kIntervals, half_step = step / 2;
    const Real inverse = Real{65536} / (out_scale * kHigh - out_scale * kLow);
    const auto clamped = [=](Real value) { return static_cast<std::int16_t>(to_int32(std::min(std::max(value, kLow), kHigh))); };
    InterpolatedTable table;
    for (int i = 0; i < kIntervals; ++i) {
      const Real begin = first + static_cast<Real>(i) * step;
      const Real sample = std::round(function(begin) * inverse);
      const Real middle = std::round((function(first + static_cast<Real>(i + 1) * step) * inverse + sample) / 2);
      const Real bias = std::round((middle - std::round(function(begin + half_step) * inverse)) / 2);
      table.samples_[as_size(i)] = clamped(sample - bias);
    }
    table.samples_[kIntervals] = clamped(std::round(function(last) * inverse));
    return table;
  }

  std::int16_t operator()(std::int16_t q) const {
    const auto at = as_size(256 + (q >> 7));
    const auto slope = static_cast<std::int16_t>(samples_[at + 1] - samples_[at]);
    return static_cast<std::int16_t>(samples_[at] + ((slope * (q & 0x7F) + 64) >> 7));
  }

 private:
  static constexpr int kIntervals = 512;
  std::array<std::int16_t, kIntervals + 1> samples_{};
};

}  // namespace visq::kernels
