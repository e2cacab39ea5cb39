#include "data/pictures/pixels.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/error.h"
#include "core/memory_size.h"
#include "visq/limits.h"

namespace visq::data {
namespace {

constexpr int kFraction = 22;  ///< bits of a weight behind the point: as Pillow has them, so that ties fall the same way

/// Which pixels of a row become one of the result, and how much each counts.
struct Window {
  int first = 0;
  std::vector<std::int32_t> weights;  ///< sum: 1, but for the rounding of each
};

/// A triangle over the pixels that one of the result covers, at least one to each side.
std::vector<Window> windows(int from, int to) {
  const double ratio = static_cast<double>(from) / to, reach = std::max(ratio, 1.0);
  std::vector<Window> all;
  std::vector<double> weights;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * ratio;
    const int first = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int last = std::min(from, static_cast<int>(centre + reach + 0.5));
    Window window{first, {}};
    double sum = 0;
    weights.clear();
    for (int pixel = first; pixel < last; ++pixel) {
      weights.push_back(std::max(0.0, 1 - std::fabs((pixel + 0.5 - centre) / reach)));
      sum += weights.back();
    }
    for (const double weight : weights) window.weights.push_back(static_cast<std::int32_t>(weight / sum * (1 << kFraction) + 0.5));
    all.push_back(std::move(window));
  }
  return all;
}

constexpr std::int32_t kHalf = 1 << (kFraction - 1);

/// Of a sum that began with kHalf.
std::uint8_t rounded(std::int32_t sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kFraction, 0, 255)); }

Pixels narrowed(const Pixels& pixels, int width) {
  Pixels result{width, pixels.height, pixels.channels,
                std::vector<std::uint8_t>(as_size(width) * as_size(pixels.height) * as_size(pixels.channels)), pixels.damaged};
  const auto all = windows(pixels.width, width);
  const std::size_t channels = as_size(pixels.channels), row_bytes = as_size(pixels.width) * channels;
  std::uint8_t* out = result.bytes.data();
  for (std::size_t y = 0; y < as_size(pixels.height); ++y) {
    const std::uint8_t* row = pixels.bytes.data() + y * row_bytes;
    for (const Window& window : all) {
      for (std::size_t c = 0; c < channels; ++c) {
        const std::uint8_t* in = row + as_size(window.first) * channels + c;
        std::int32_t sum = kHalf;
        for (const std::int32_t weight : window.weights) sum += weight * *in, in += channels;
        *out++ = rounded(sum);
      }
    }
  }
  return result;
}

Pixels lowered(const Pixels& pixels, int height) {
  const std::size_t row_bytes = as_size(pixels.width) * as_size(pixels.channels);
  Pixels result{pixels.width, height, pixels.channels, std::vector<std::uint8_t>(as_size(height) * row_bytes), pixels.damaged};
  std::vector<std::int32_t> sums(row_bytes);
  std::uint8_t* out = result.bytes.data();
  for (const Window& window : windows(pixels.height, height)) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const std::uint8_t* row = pixels.bytes.data() + as_size(window.first) * row_bytes;
    for (const std::int32_t weight : window.weights) {
      for (std::size_t i = 0; i < row_bytes; ++i) sums[i] += weight * row[i];
      row += row_bytes;
    }
    for (const std::int32_t sum : sums) *out++ = rounded(sum);
  }
  return result;
}

/// What lies before the middle of what is left over: as Python's round(), halves go to the even number.
int before_middle(int left_over) { return static_cast<int>(std::nearbyint(left_over / 2.0)); }

}  // namespace

Status check_pixels(std::uint64_t width, std::uint64_t height, const std::string& place) {
  constexpr std::uint64_t kMostOfAxis = 1 << 20, kChannels = 3;
  const auto most = static_cast<std::uint64_t>(limits().input);
  if (width > 0 && height > 0 && width <= kMostOfAxis && height <= kMostOfAxis && width * height * kChannels <= most) return {};
  return bad_input("{}: a picture of {}x{} pixels exceeds the limit of {}; --max-input allows more", place, width, height,
                   memory_size(most));
}

Pixels to_grey(const Pixels& rgb) {
  Pixels grey{rgb.width, rgb.height, 1, {}, rgb.damaged};
  grey.bytes.reserve(rgb.bytes.size() / 3);
  for (std::size_t i = 0; i + 2 < rgb.bytes.size(); i += 3) {
    // 0.299, 0.587, 0.114 with 16 bits behind the point.
    grey.bytes.push_back(
        static_cast<std::uint8_t>((19595 * rgb.bytes[i] + 38470 * rgb.bytes[i + 1] + 7471 * rgb.bytes[i + 2] + (1 << 15)) >> 16));
  }
  return grey;
}

Pixels resized(const Pixels& pixels, int width, int height) {
  Pixels result = pixels.width == width ? pixels : narrowed(pixels, width);
  return result.height == height ? result : lowered(result, height);
}

Pixels middle_of(const Pixels& pixels, int width, int height) {
  Pixels result{width, height, pixels.channels, {}, pixels.damaged};
  const std::size_t channels = as_size(pixels.channels), row_bytes = as_size(width) * channels;
  const std::size_t left = as_size(before_middle(pixels.width - width)), top = as_size(before_middle(pixels.height - height));
  result.bytes.reserve(row_bytes * as_size(height));
  for (std::size_t y = 0; y < as_size(height); ++y) {
    const auto row = pixels.bytes.begin() + static_cast<std::ptrdiff_t>(((top + y) * as_size(pixels.width) + left) * channels);
    result.bytes.insert(result.bytes.end(), row, row + static_cast<std::ptrdiff_t>(row_bytes));
  }
  return result;
}

}  // namespace visq::data
