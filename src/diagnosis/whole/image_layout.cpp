#include "diagnosis/whole/image_layout.h"

#include <cmath>

#include "core/as_size.h"

namespace visq::diagnosis {
namespace {

/// Pictures have at least so many rows and columns; neighbours differ by less than this share of the values' deviation; and the one layout
/// must be better than the other by this factor.
constexpr std::int64_t kLeastSize = 8;
constexpr double kAlike = 0.6, kBetter = 0.8;

/// Mean |x[i] - x[i + distance]|.
double mean_step(std::span<const float> values, std::size_t distance) {
  double sum = 0;
  for (std::size_t i = 0; i + distance < values.size(); ++i) {
    sum += std::fabs(static_cast<double>(values[i]) - static_cast<double>(values[i + distance]));
  }
  return sum / static_cast<double>(values.size() - distance);
}

double deviation(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

}  // namespace

bool seems_channels_first(std::span<const float> values, const Shape& shape) {
  if (shape.rank() != 4 || shape[3] < 2 || shape[3] > 4 || shape[1] < kLeastSize || shape[2] < kLeastSize) return false;
  const auto width = as_size(shape[2]), channels = as_size(shape[3]);
  if (values.size() != as_size(shape.elements())) return false;
  const double expected = mean_step(values, width * channels), other = mean_step(values, width);
  return other < kBetter * expected && other < kAlike * deviation(values);
}

}  // namespace visq::diagnosis
