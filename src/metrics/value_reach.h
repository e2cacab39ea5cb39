// Within what a stretch of values lies.
#pragma once

#include <cstdint>
#include <span>

namespace visq::metrics {

/// Of the finite values; where there are none, only `finite` counts.
struct ValueReach {
  std::int64_t finite = 0;
  float low = 0, high = 0;
  std::uint32_t smallest = 0x7F800000;  ///< the least magnitude from 2^-126 on, as bits; those of infinity where there is none
  std::uint32_t largest = 0;            ///< the largest magnitude, as bits
};

ValueReach reach_of(std::span<const float> values);

}  // namespace visq::metrics
