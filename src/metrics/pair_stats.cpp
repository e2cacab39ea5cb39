// The fused pass: cuts a map into stretches by its scale layout, and sums in double what the vector part hands back.
#include "metrics/pair_stats.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/as_size.h"
#include "metrics/pair_kernel.h"

namespace visq::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A run of one channel at least this long is a stretch of its own; shorter runs go through a table of scales per element.
constexpr std::int64_t kLongRun = 256;
/// Elements that go through the table of scales at once.
constexpr std::int64_t kTableStretch = 1024;

std::int64_t channels(const ScaleLayout& layout) { return static_cast<std::int64_t>(layout.scale.size()); }

bool usable(float scale) { return std::isfinite(scale) && scale > 0; }

/// Notes a non-finite element of one side.
void count_non_finite(std::int64_t index, std::int64_t& count, std::int64_t& first) {
  ++count;
  if (first < 0 || index < first) first = index;
}

/// Adds one pair in double. `scale` is that of the element's channel, or 0 where the scaled sums are made from the others.
void add_exactly(float f, float q, std::int64_t index, double scale, const ScaleLayout& layout, PairStats& stats) {
  const bool f_finite = std::isfinite(f), q_finite = std::isfinite(q);
  const auto a = static_cast<double>(f), b = static_cast<double>(q);
  if (f_finite) {
    stats.sum_f += a;
    stats.sum_abs_f += std::abs(a);
    stats.sum_ff += a * a;
    stats.min_f = std::min(stats.min_f, a);
    stats.max_f = std::max(stats.max_f, a);
  } else {
    count_non_finite(index, stats.non_finite_f, stats.first_non_finite_f);
  }
  if (q_finite) {
    stats.sum_q += b;
    stats.sum_qq += b * b;
    stats.min_q = std::min(stats.min_q, b);
    stats.max_q = std::max(stats.max_q, b);
  } else {
    count_non_finite(index, stats.non_finite_q, stats.first_non_finite_q);
  }
  if (!f_finite || !q_finite) return;
  const double d = a - b;
  stats.sum_fq += a * b;
  stats.sum_abs_d += std::abs(d);
  stats.sum_dd += d * d;
  if (f < layout.low || f > layout.high) stats.sum_dd_outside += d * d;
  stats.max_abs_d = std::max(stats.max_abs_d, std::abs(d));
  if (scale > 0) {
    const double steps = std::abs(d) / scale;
    stats.sum_dd_scaled += steps * steps;
    stats.max_abs_d_scaled = std::max(stats.max_abs_d_scaled, steps);
  }
}

/// Pairs [first, first + count) without scales.
void add_plain(const float* f, const float* q, std::int64_t first, std::int64_t count, const ScaleLayout& layout, PairStats& stats) {
  const auto exact = [&](std::size_t begin, std::size_t length) {
    const std::int64_t start = first + static_cast<std::int64_t>(begin);
    for (std::int64_t i = start; i < start + static_cast<std::int64_t>(length); ++i) add_exactly(f[i], q[i], i, 0, layout, stats);
  };
  add_pairs({f + first, q + first, nullptr, as_size(count), layout.low, layout.high}, std::cref(exact), stats);
}

/// One scale for the pairs [first, first + count): the scaled sums follow from the unscaled ones.
void add_one_scale(const float* f, const float* q, std::int64_t first, std::int64_t count, double scale, const ScaleLayout& layout,
                   PairStats& stats) {
  const double dd_before = stats.sum_dd, max_before = stats.max_abs_d;
  stats.sum_dd = stats.max_abs_d = 0;
  add_plain(f, q, first, count, layout, stats);
  stats.sum_dd_scaled += stats.sum_dd / scale / scale;
  stats.max_abs_d_scaled = std::max(stats.max_abs_d_scaled, stats.max_abs_d / scale);
  stats.sum_dd += dd_before;
  stats.max_abs_d = std::max(stats.max_abs_d, max_before);
}

/// Channels that change every few elements: 1/s per element from a table that holds whole periods.
void add_short_runs(const float* f, const float* q, std::int64_t elements, const ScaleLayout& layout, PairStats& stats) {
  const std::int64_t period = channels(layout) * layout.inner;
  const auto scale_of = [&](std::int64_t i) { return layout.scale[as_size(i / layout.inner % channels(layout))]; };
  const std::int64_t stretch = period >= kTableStretch ? period : kTableStretch / period * period;
  std::vector<float> inverse(as_size(std::min(stretch, elements)));
  for (std::size_t i = 0; i < inverse.size(); ++i) inverse[i] = 1.0F / scale_of(static_cast<std::int64_t>(i));
  for (std::int64_t first = 0; first < elements; first += stretch) {
    const auto exact = [&](std::size_t begin, std::size_t length) {
      const std::int64_t start = first + static_cast<std::int64_t>(begin);
      for (std::int64_t i = start; i < start + static_cast<std::int64_t>(length); ++i) {
        add_exactly(f[i], q[i], i, static_cast<double>(scale_of(i)), layout, stats);
      }
    };
    const auto count = as_size(std::min(stretch, elements - first));
    add_pairs({f + first, q + first, inverse.data(), count, layout.low, layout.high}, std::cref(exact), stats);
  }
}

/// Runs of one channel that are worth a stretch each.
void add_long_runs(const float* f, const float* q, std::int64_t elements, const ScaleLayout& layout, PairStats& stats) {
  for (std::int64_t first = 0; first < elements; first += layout.inner) {
    const auto channel = as_size(first / layout.inner % channels(layout));
    add_one_scale(f, q, first, std::min(layout.inner, elements - first), static_cast<double>(layout.scale[channel]), layout, stats);
  }
}

}  // namespace

PairStats accumulate_pair(const float* f, const float* q, std::int64_t elements, const ScaleLayout& layout) {
  PairStats stats;
  stats.elements = elements;
  stats.has_scale = !layout.scale.empty();
  stats.min_f = stats.min_q = kInfinity;
  stats.max_f = stats.max_q = -kInfinity;
  const bool scaled = stats.has_scale && std::all_of(layout.scale.begin(), layout.scale.end(), usable);
  if (!scaled) {
    add_plain(f, q, 0, elements, layout, stats);
  } else if (layout.scale.size() == 1) {
    add_one_scale(f, q, 0, elements, static_cast<double>(layout.scale[0]), layout, stats);
  } else if (layout.inner < kLongRun) {
    add_short_runs(f, q, elements, layout, stats);
  } else {
    add_long_runs(f, q, elements, layout, stats);
  }
  if (stats.has_scale && !scaled) stats.sum_dd_scaled = stats.max_abs_d_scaled = std::numeric_limits<double>::quiet_NaN();
  if (stats.non_finite_f == elements) stats.min_f = stats.max_f = 0;
  if (stats.non_finite_q == elements) stats.min_q = stats.max_q = 0;
  return stats;
}

}  // namespace visq::metrics
