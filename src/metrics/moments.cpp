#include "metrics/moments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/finite.h"

namespace visq::metrics {
namespace {

constexpr std::size_t kBlock = 4096;
/// Sums run side by side, so that the compiler may use vectors without changing what is added to what.
constexpr std::size_t kLanes = 8;

double total(const double (&lanes)[kLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Calls visit(lane, value) for all values.
template <class Visit>
void for_each(std::span<const float> values, Visit visit) {
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) visit(k, static_cast<double>(values[i + k]));
  }
  for (; i < values.size(); ++i) visit(0, static_cast<double>(values[i]));
}

/// Moments of a block of finite values, in two passes while it is in cache.
Moments block_moments(std::span<const float> values) {
  double sums[kLanes] = {}, squares[kLanes] = {}, low[kLanes], high[kLanes];
  std::fill_n(low, kLanes, static_cast<double>(values[0]));
  std::fill_n(high, kLanes, static_cast<double>(values[0]));
  for_each(values, [&](std::size_t k, double value) {
    sums[k] += value;
    low[k] = value < low[k] ? value : low[k];
    high[k] = value > high[k] ? value : high[k];
  });
  Moments moments;
  moments.count = static_cast<std::int64_t>(values.size());
  moments.mean = total(sums) / static_cast<double>(values.size());
  for_each(values, [&](std::size_t k, double value) {
    const double off = value - moments.mean;
    squares[k] += off * off;
  });
  moments.squared_deviations = total(squares);
  moments.min = *std::min_element(low, low + kLanes);
  moments.max = *std::max_element(high, high + kLanes);
  return moments;
}

}  // namespace

void Moments::add(std::span<const float> values) {
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto block = values.subspan(first, std::min(kBlock, values.size() - first));
    if (all_finite(block)) {
      merge(block_moments(block));
      continue;
    }
    float finite[kBlock];
    std::size_t kept = 0;
    for (const float value : block) {
      if (std::isfinite(value)) finite[kept++] = value;
    }
    non_finite += static_cast<std::int64_t>(block.size() - kept);
    if (kept > 0) merge(block_moments({finite, kept}));
  }
}

void Moments::merge(const Moments& later) {
  non_finite += later.non_finite;
  if (later.count == 0) return;
  if (count == 0) {
    const std::int64_t odd = non_finite;
    *this = later;
    non_finite = odd;
    return;
  }
  const auto a = static_cast<double>(count), b = static_cast<double>(later.count);
  const double apart = later.mean - mean;
  mean += apart * (b / (a + b));
  squared_deviations += later.squared_deviations + apart * apart * (a * b / (a + b));
  count += later.count;
  min = std::min(min, later.min);
  max = std::max(max, later.max);
}

double Moments::deviation() const { return std::sqrt(variance()); }

}  // namespace visq::metrics
