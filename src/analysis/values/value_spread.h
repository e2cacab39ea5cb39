// Everything that a picture of one tensor's values needs, gathered in one pass.
#pragma once

#include <span>
#include <vector>

#include "analysis/records/real_values.h"
#include "metrics/moments.h"
#include "metrics/value_sketch.h"
#include "visq/distribution.h"

namespace visq::analysis {

/// One value per channel group of a record, for the fold in record order.
struct SpreadRecord {
  double signal = 0, noise = 0;         ///< sums of f² and (f - q)²
  std::vector<metrics::Moments> means;  ///< per box
  Shape shape;
};

class ValueSpread {
 public:
  /// `axis`: of the box plots; out of the tensor's range: no boxes. `unclipped`: values outside of it are counted.
  ValueSpread(int axis, RealBounds unclipped) : axis_(axis), unclipped_(unclipped) {}

  /// Adds both models' values of one record; whole numbers only, so that the order of records does not matter.
  void count(const float* f, const float* q, const Shape& shape, std::vector<float>& scratch);
  /// What depends on the order of additions; thread-safe beside count().
  SpreadRecord sums(const float* f, const float* q, const Shape& shape, std::vector<float>& scratch) const;
  void fold(SpreadRecord&& record);

  /// Fills in shape, extremes, what is clipped, SQNR, histograms and boxes. `step`: the distance of the quantized tensor's values where all
  /// have the same, else 0.
  void finish(Distribution& result, double step) const;

 private:
  static std::int64_t boxes_for(std::int64_t channels) { return std::min(channels, kMostBoxes); }
  BoxPlot box(std::size_t index) const;

  int axis_;
  RealBounds unclipped_;
  std::int64_t below_ = 0, above_ = 0;
  metrics::ValueSketch f_, q_, d_;
  std::vector<metrics::ValueSketch> boxes_;
  std::vector<metrics::Moments> means_;
  std::int64_t channels_ = 0;
  double signal_ = 0, noise_ = 0;
  Shape shape_;
};

}  // namespace visq::analysis
