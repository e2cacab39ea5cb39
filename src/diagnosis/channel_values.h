// What a feature map holds per channel (its last axis): how far the channels' magnitudes differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/as_size.h"

namespace visq::diagnosis {

/// Per channel, over all rows of all records. Values that are not finite are left out.
struct ChannelValues {
  std::vector<double> low, high;    ///< zero is always within
  std::vector<double> least, most;  ///< the same without zero, where the values are beside it
  std::vector<double> squares;      ///< Σx²
  std::vector<double> sums;         ///< Σx
  std::int64_t rows = 0;

  std::size_t count() const { return squares.size(); }
  double reach(std::size_t channel) const { return std::max(-low[channel], high[channel]); }
  double rms(std::size_t channel) const { return rows > 0 ? std::sqrt(squares[channel] / static_cast<double>(rows)) : 0; }

  double mean(std::size_t channel) const { return rows > 0 ? sums[channel] / static_cast<double>(rows) : 0; }
  double variance(std::size_t channel) const {
    const double square = rows > 0 ? squares[channel] / static_cast<double>(rows) : 0;
    return std::max(0.0, square - mean(channel) * mean(channel));
  }

  /// Nothing where `channels` does not divide the values, or is not the number of those before.
  void add(std::span<const float> values, std::int64_t channels) {
    const std::size_t width = channels > 0 ? as_size(channels) : 0;
    if (width == 0 || values.size() % width != 0 || (rows > 0 && width != count())) return;
    if (rows == 0) {
      low.assign(width, 0), high.assign(width, 0), squares.assign(width, 0), sums.assign(width, 0);
      least.assign(width, HUGE_VAL), most.assign(width, -HUGE_VAL);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t c = i % width;
      const auto value = static_cast<double>(values[i]);
      if (!std::isfinite(value)) continue;
      least[c] = std::min(least[c], value), most[c] = std::max(most[c], value), squares[c] += value * value, sums[c] += value;
      low[c] = std::min(low[c], value), high[c] = std::max(high[c], value);
    }
    rows += static_cast<std::int64_t>(values.size() / width);
  }
};

}  // namespace visq::diagnosis
