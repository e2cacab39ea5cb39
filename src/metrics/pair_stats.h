// The fused pass: one read of a pair of feature maps gives every sum that any metric needs.
#pragma once

#include <cstdint>
#include <span>

#include "visq/shape.h"

namespace visq::metrics {

/// Sums over one pair of maps: f the reference, q the other, both real-valued. Accumulated in double over short float32 blocks;
/// a block whose squares would leave float32's range goes through double element by element.
struct PairStats {
  std::int64_t elements = 0;
  double sum_f = 0, sum_q = 0;          ///< over finite elements of each side
  double sum_abs_f = 0;                 ///< sum of |f|
  double sum_ff = 0, sum_qq = 0, sum_fq = 0;
  double sum_abs_d = 0, sum_dd = 0;     ///< d = f - q
  double max_abs_d = 0;
  double min_f = 0, max_f = 0, min_q = 0, max_q = 0;  ///< over finite elements of each side
  bool has_scale = false;               ///< q's tensor is quantized: the next two are defined
  double sum_dd_scaled = 0;             ///< sum of (d/s)^2, s the scale of the element's channel
  double max_abs_d_scaled = 0;          ///< max |d|/s
  std::int64_t non_finite_f = 0, non_finite_q = 0;
  std::int64_t first_non_finite_f = -1, first_non_finite_q = -1;  ///< element index
};

/// How q's tensor is scaled: no scale, one, or one per channel of an axis.
struct ScaleLayout {
  std::span<const float> scale;  ///< empty, one value, or `channels` values
  std::int64_t inner = 1;        ///< elements from one channel to the next (product of the sizes behind the axis)
};

/// One fused pass over `elements` pairs. With one non-finite element in a pair, the sums of the pair's differences and products leave
/// that element out and count it; metrics decide by the counts.
PairStats accumulate_pair(const float* f, const float* q, std::int64_t elements, const ScaleLayout& layout);

}  // namespace visq::metrics
