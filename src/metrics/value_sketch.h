// How values are distributed, in bounded memory: quantiles with a stated error and histograms of any range, after one pass.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace visq::metrics {

/// Counts values in buckets: floats of one sign whose exponent and first 7 mantissa bits agree share one. A bucket is therefore at most
/// 2^-7 of its values wide, and its middle at most kRelativeError off any of them. Zeros have a bucket of their own, with all that is
/// smaller than 2^-126. Counts are whole numbers: however values are split, ordered and merged, the sketch is the same.
/// Memory: 1 KiB per sign and power of two that occurs.
class ValueSketch {
 public:
  static constexpr double kRelativeError = 1.0 / 256;
  static constexpr std::size_t kSteps = 128;  ///< buckets per power of two

  ValueSketch() = default;
  ValueSketch(ValueSketch&&) = default;
  ValueSketch& operator=(ValueSketch&&) = default;

  /// NaN and infinities are left out.
  void add(std::span<const float> values);
  void merge(const ValueSketch& other);

  std::int64_t count() const { return count_; }
  double min() const { return min_; }  ///< exact; 0 where there are no values
  double max() const { return max_; }

  /// The value below which the share p of all values lies (the nearest rank): exact for p = 0 and 1, else within kRelativeError of its own
  /// magnitude. 0 where there are no values.
  double quantile(double p) const;

  /// How many values lie in each of `bins` even parts of [low, high]; what lies outside is left out. A bucket across a border is shared
  /// out as if its values were spread evenly.
  std::vector<double> histogram(double low, double high, std::size_t bins) const;

  /// A bucket that is not empty; its values lie in [low, high].
  struct Bucket {
    double low = 0, high = 0;
    std::int64_t count = 0;
    double middle() const { return (low + high) / 2; }
  };
  /// In ascending order, cut off at the extremes.
  std::vector<Bucket> buckets() const;

 private:
  static constexpr std::size_t kBlocks = 512;  ///< sign and exponent
  using Block = std::array<std::int64_t, kSteps>;
  void add_stretch(std::span<const float> values);
  void put(std::size_t key, std::int64_t count);

  std::array<std::unique_ptr<Block>, kBlocks> blocks_;
  std::int64_t zeros_ = 0, count_ = 0;
  float min_ = 0, max_ = 0;
};

}  // namespace visq::metrics
