#include "analysis/facts/correlation.h"

#include <cmath>

namespace visq::analysis {

void Correlation::add(double a, double b) {
  if (count_++ == 0) first_a_ = a, first_b_ = b;
  a -= first_a_, b -= first_b_;
  a_ += a, b_ += b, aa_ += a * a, bb_ += b * b, ab_ += a * b;
}

std::optional<double> Correlation::value() const {
  const auto n = static_cast<double>(count_);
  const double size = std::sqrt(aa_ - a_ * a_ / n) * std::sqrt(bb_ - b_ * b_ / n), product = ab_ - a_ * b_ / n;
  return count_ > 1 && size > 0 && std::isfinite(size) && std::isfinite(product) ? std::optional(product / size) : std::nullopt;
}

}  // namespace visq::analysis
