// The fused pass: one read of a pair of feature maps gives every sum that any metric needs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace visq::metrics {

/// Sums over one pair of maps: f the reference, q the other, both real-valued, d = f - q. Short float32 blocks are summed into double;
/// a block whose squares leave float32's range, or that holds a non-finite element, is summed element by element in double.
///
/// Accuracy: sums of terms of one sign are within 1e-6 relative of exact arithmetic (sum_f and sum_q relative to the sum of magnitudes,
/// sum_fq relative to sqrt(sum_ff * sum_qq)). min and max are exact; max_abs_d is within one float32 rounding.
///
/// Non-finite elements are counted. Sums of one side (f, |f|, f², q, q²) and its extremes leave out that side's own; sums of
/// differences and products leave out every pair of which either element is not finite.
struct PairStats {
  std::int64_t elements = 0;
  double sum_f = 0, sum_q = 0;
  double sum_abs_f = 0;
  double sum_ff = 0, sum_qq = 0, sum_fq = 0;
  double sum_abs_d = 0, sum_dd = 0;
  double sum_dd_outside = 0;  ///< over elements whose f lies outside what q's tensor can represent
  double max_abs_d = 0;
  double min_f = 0, max_f = 0, min_q = 0, max_q = 0;  ///< 0 where a side has no finite element
  bool has_scale = false;                             ///< q's tensor is quantized: the next two are defined
  double sum_dd_scaled = 0;                           ///< sum of (d/s)², s the scale of the element's channel
  double max_abs_d_scaled = 0;                        ///< max |d|/s; both NaN where a scale is not a positive, finite number
  std::int64_t non_finite_f = 0, non_finite_q = 0;
  std::int64_t first_non_finite_f = -1, first_non_finite_q = -1;  ///< element index
  std::int64_t rows = 0;                                          ///< outputs of models: distributions that add_divergence() saw
  double sum_kl = 0;                                              ///< the divergences of those, in nats
};

/// How q's tensor is scaled: no scale, one, or one per channel of an axis. Element i belongs to channel (i / inner) % scale.size().
struct ScaleLayout {
  std::span<const float> scale;  ///< empty, one value, or one per channel
  std::int64_t inner = 1;        ///< elements from one channel to the next (product of the sizes behind the axis), at least 1
  float low = -std::numeric_limits<float>::infinity();  ///< the least number that q's tensor can represent
  float high = std::numeric_limits<float>::infinity();  ///< the largest
};

/// One fused pass over `elements` pairs. Reads nothing beyond them; the result does not depend on the arrays' alignment.
PairStats accumulate_pair(const float* f, const float* q, std::int64_t elements, const ScaleLayout& layout);

}  // namespace visq::metrics
