#include "metrics/value_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "metrics/value_reach.h"

namespace visq::metrics {
namespace {

constexpr std::size_t kExponentMask = 0xFF, kSignBlock = 0x100;
constexpr unsigned kDropped = 16;  ///< mantissa bits that buckets do not tell apart
constexpr std::size_t kKeys = std::size_t{1} << 16;
/// Values whose counters are not worth looking through.
constexpr std::size_t kFew = 4096;

/// The end of a bucket that is nearer to zero, without sign; `step` may be one past the last, which leads to the next power of two, and
/// from the last one to infinity.
double magnitude(std::size_t exponent, std::size_t step) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>((exponent * ValueSketch::kSteps + step) << kDropped)));
}

/// Sign, exponent and first mantissa bits.
std::size_t key_of(float value) { return std::bit_cast<std::uint32_t>(value) >> kDropped; }

/// Counters by sign, exponent and first mantissa bits, twice: neighbouring values are often alike, and the next count of one counter waits
/// for the last. All zero between calls.
class Counters {
 public:
  void count(std::span<const float> values) {
    std::size_t i = 0;
    for (; i + 1 < values.size(); i += 2) {
      ++even_[key_of(values[i])];
      ++odd_[key_of(values[i + 1])];
    }
    if (i < values.size()) ++even_[key_of(values[i])];
  }
  /// What was counted, which is forgotten.
  std::int64_t take(std::size_t key) {
    const std::int64_t count = std::int64_t{even_[key]} + odd_[key];
    even_[key] = odd_[key] = 0;
    return count;
  }

 private:
  std::vector<std::uint32_t> even_ = std::vector<std::uint32_t>(kKeys), odd_ = std::vector<std::uint32_t>(kKeys);
};

Counters& counters() {
  thread_local Counters counters;
  return counters;
}

}  // namespace

void ValueSketch::add(std::span<const float> values) {
  constexpr std::size_t kMost = std::size_t{1} << 31;  // what a counter holds
  for (std::size_t first = 0; first < values.size(); first += kMost) {
    add_stretch(values.subspan(first, std::min(kMost, values.size() - first)));
  }
}

void ValueSketch::add_stretch(std::span<const float> values) {
  const ValueReach reach = reach_of(values);
  if (reach.finite > 0) {
    const float low = reach.low + 0.0F, high = reach.high + 0.0F;  // -0 counts as 0
    min_ = count_ == 0 ? low : std::min(min_, low);
    max_ = count_ == 0 ? high : std::max(max_, high);
  }
  count_ += reach.finite;
  if (values.size() < kFew) {
    for (const float value : values) put(key_of(value), 1);
    return;
  }
  Counters& counted = counters();
  counted.count(values);
  const std::size_t first = (reach.smallest >> kDropped) / kSteps * kSteps, last = (reach.largest >> kDropped) + 1;
  for (const std::size_t sign : {std::size_t{0}, kSignBlock * kSteps}) {
    const auto put_all = [&](std::size_t from, std::size_t to) {
      for (std::size_t key = from; key < to; ++key) put(sign + key, counted.take(sign + key));
    };
    put_all(0, kSteps);
    put_all(first, std::max(first, last));
    put_all(kExponentMask * kSteps, kSignBlock * kSteps);
  }
}

void ValueSketch::put(std::size_t key, std::int64_t count) {
  const std::size_t block = key / kSteps, exponent = block & kExponentMask;
  if (count == 0 || exponent == kExponentMask) return;
  if (exponent == 0) {
    zeros_ += count;
    return;
  }
  auto& counts = blocks_[block];
  if (!counts) counts = std::make_unique<Block>(Block{});
  (*counts)[key % kSteps] += count;
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
  for (std::size_t exponent = kExponentMask; exponent-- > 1;) {
    const auto& block = blocks_[exponent | kSignBlock];
    for (std::size_t k = kSteps; block && k-- > 0;) put(-magnitude(exponent, k + 1), -magnitude(exponent, k), (*block)[k]);
  }
  put(0, 0, zeros_);
  for (std::size_t exponent = 1; exponent < kExponentMask; ++exponent) {
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
