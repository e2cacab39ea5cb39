// How alike two series of values are.
#pragma once

#include <cstdint>
#include <optional>

namespace visq::analysis {

/// Sums that give Pearson's correlation of two series.
class Correlation {
 public:
  void add(double a, double b);
  /// Nothing where one does not vary, or is not finite.
  std::optional<double> value() const;
  std::int64_t count() const { return count_; }

 private:
  double first_a_ = 0, first_b_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace visq::analysis
