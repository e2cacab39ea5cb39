// Random numbers that are the same on every platform: SplitMix64 (Steele, Lea, Flood 2014), always from the same seed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "core/as_size.h"

namespace visq::analysis {

class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return as_size(next() % bound); }
  /// Between 0 and 1, neither of them.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

  /// Of the gamma distribution with this shape and mean 1 (Marsaglia, Tsang 2000).
  double gamma(double shape) {
    if (shape < 1) return gamma(shape + 1) * (shape + 1) / shape * std::pow(uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v / shape;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace visq::analysis
