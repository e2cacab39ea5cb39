#include "metrics/value_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace visq::metrics {
namespace {

constexpr std::uint32_t kExponentMask = 0xFF, kSignBlock = 0x100;

/// The end of a bucket that is nearer to zero, without sign; `step` may be one past the last.
double magnitude(std::uint32_t exponent, std::size_t step) {
  return std::ldexp(1 + static_cast<double>(step) / 128, static_cast<int>(exponent) - 127);
}

}  // namespace

void ValueSketch::add(std::span<const float> values) {
  for (const float value : values) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t block = bits >> 23, exponent = block & kExponentMask;
    if (exponent == kExponentMask) continue;
    min_ = count_ == 0 || value < min_ ? value : min_;
    max_ = count_ == 0 || value > max_ ? value : max_;
    ++count_;
    if (exponent == 0) {
      ++zeros_;
      continue;
    }
    auto& counts = blocks_[block];
    if (!counts) counts = std::make_unique<Block>(Block{});
    ++(*counts)[bits >> 16 & 0x7FU];
  }
}

void ValueSketch::merge(const ValueSketch& other) {
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  zeros_ += other.zeros_;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (!other.blocks_[i]) continue;
    if (!blocks_[i]) blocks_[i] = std::make_unique<Block>(Block{});
    for (std::size_t k = 0; k < kSteps; ++k) (*blocks_[i])[k] += (*other.blocks_[i])[k];
  }
}

std::vector<ValueSketch::Bucket> ValueSketch::buckets() const {
  std::vector<Bucket> list;
  const auto low = static_cast<double>(min_), high = static_cast<double>(max_);
  const auto put = [&](double from, double to, std::int64_t count) {
    if (count > 0) list.push_back({std::clamp(from, low, high), std::clamp(to, low, high), count});
  };
  for (std::uint32_t exponent = kExponentMask; exponent-- > 1;) {
    const auto& block = blocks_[exponent | kSignBlock];
    for (std::size_t k = kSteps; block && k-- > 0;) put(-magnitude(exponent, k + 1), -magnitude(exponent, k), (*block)[k]);
  }
  put(0, 0, zeros_);
  for (std::uint32_t exponent = 1; exponent < kExponentMask; ++exponent) {
    const auto& block = blocks_[exponent];
    for (std::size_t k = 0; block && k < kSteps; ++k) put(magnitude(exponent, k), magnitude(exponent, k + 1), (*block)[k]);
  }
  return list;
}

double ValueSketch::quantile(double p) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::int64_t>(std::llround(std::clamp(p, 0.0, 1.0) * static_cast<double>(count_ - 1)));
  if (rank == 0) return static_cast<double>(min_);
  if (rank == count_ - 1) return static_cast<double>(max_);
  std::int64_t below = 0;
  for (const Bucket& bucket : buckets()) {
    below += bucket.count;
    if (rank < below) return bucket.middle();
  }
  return static_cast<double>(max_);
}

std::vector<double> ValueSketch::histogram(double low, double high, std::size_t bins) const {
  std::vector<double> counts(bins, 0);
  if (bins == 0 || !(high > low)) return counts;
  const double width = (high - low) / static_cast<double>(bins);
  for (const Bucket& bucket : buckets()) {
    if (bucket.high < low || bucket.low > high) continue;
    const auto bin_of = [&](double value) {
      const double position = std::clamp((value - low) / width, 0.0, static_cast<double>(bins - 1));
      return static_cast<std::size_t>(position);
    };
    const std::size_t first = bin_of(bucket.low), last = bin_of(bucket.high);
    const double spread = bucket.high - bucket.low;
    for (std::size_t i = first; i <= last; ++i) {
      const double from = std::max(bucket.low, low + width * static_cast<double>(i));
      const double to = std::min({bucket.high, low + width * static_cast<double>(i + 1), high});
      const double share = spread > 0 ? std::max(to - from, 0.0) / spread : 1;
      counts[i] += share * static_cast<double>(bucket.count);
    }
  }
  return counts;
}

}  // namespace visq::metrics
