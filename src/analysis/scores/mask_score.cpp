#include "analysis/scores/mask_score.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/convert.h"

namespace visq::analysis {
namespace {

/// How the values of a map lie.
struct MapLayout {
  std::int64_t height = 0, width = 0, channels = 1;
  bool channels_last = true;
};

std::optional<MapLayout> layout_of(const Shape& shape) {
  std::span<const std::int64_t> dims = shape.dims();
  if (dims.size() == 4 && dims[0] == 1) {
    const bool last = dims[3] <= dims[1];
    return last ? MapLayout{dims[1], dims[2], dims[3], true} : MapLayout{dims[2], dims[3], dims[1], false};
  }
  if (dims.size() == 3 && dims[0] == 1) dims = dims.subspan(1);
  if (dims.size() == 2) return MapLayout{dims[0], dims[1], 1, true};
  return std::nullopt;
}

std::int32_t best_channel(std::span<const float> values, std::size_t first, std::size_t step, std::int64_t channels) {
  std::int32_t best = 0;
  for (std::int32_t c = 1; c < channels; ++c) {
    if (values[first + as_size(c) * step] > values[first + as_size(best) * step]) best = c;
  }
  return best;
}

std::string offset_words(std::int64_t offset) { return offset == 0 ? "" : fmt::format(" with {} added", offset); }

}  // namespace

Result<FoundMap> class_map(std::span<const float> values, const Shape& shape, const std::string& place) {
  const auto layout = layout_of(shape);
  if (!layout || layout->channels > kMostClasses || shape.elements() == 0) {
    return bad_input("{}: shape {} is no map of classes; masks need [1, height, width, classes], or [1, height, width]", place,
                     to_string(shape));
  }
  FoundMap found{{layout->height, layout->width, {}}, layout->channels};
  const std::size_t pixels = as_size(layout->height * layout->width), channels = as_size(layout->channels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (channels > 1) {
      const std::size_t first = layout->channels_last ? i * channels : i, step = layout->channels_last ? 1 : pixels;
      found.map.classes.push_back(best_channel(values, first, step, layout->channels));
      continue;
    }
    const float rounded = std::round(values[i]);
    if (!(rounded >= 0 && rounded < static_cast<float>(kMostClasses))) {
      return bad_input("{}: element {} is {}, which is no class", place, i, values[i]);
    }
    found.map.classes.push_back(static_cast<std::int32_t>(rounded));
  }
  return found;
}

Result<ClassMap> true_map(const Array& mask, std::int64_t offset, std::int64_t channels, const std::string& place) {
  constexpr std::int64_t kLeftOut = 255;
  const auto integers = data::to_integers(mask, DType::kInt64);
  if (!integers.ok()) return bad_input("{}: {}", place, integers.error().message);
  const std::int64_t limit = channels > 1 ? channels : kMostClasses;
  ClassMap map{mask.shape[0], mask.shape[1], {}};
  for (const std::int64_t value : integers->values<std::int64_t>()) {
    const bool counts = value >= std::max<std::int64_t>(0, -offset) && (value != kLeftOut || channels > kLeftOut);
    if (counts && value >= limit - offset) return bad_input("{}: class {} is none of {}{}", place, value, limit, offset_words(offset));
    map.classes.push_back(counts ? static_cast<std::int32_t>(value + offset) : -1);
  }
  return map;
}

MaskScore::Counts& MaskScore::of(std::int32_t label) {
  if (as_size(label) >= counts_.size()) counts_.resize(as_size(label) + 1);
  return counts_[as_size(label)];
}

void MaskScore::add(const ClassMap& truth, const ClassMap& found) {
  const auto nearest = [](std::int64_t at, std::int64_t size, std::int64_t other) { return (2 * at + 1) * other / (2 * size); };
  for (std::int64_t y = 0; y < truth.height; ++y) {
    const std::int64_t row = nearest(y, truth.height, found.height) * found.width;
    for (std::int64_t x = 0; x < truth.width; ++x) {
      const std::int32_t wanted = truth.classes[as_size(y * truth.width + x)];
      if (wanted < 0) continue;
      const std::int32_t given = found.classes[as_size(row + nearest(x, truth.width, found.width))];
      ++of(wanted).truth;
      ++of(given).found;
      if (wanted == given) ++of(given).both;
    }
  }
}

Result<ModelScore> MaskScore::finish(const std::string& place) const {
  double sum = 0, right = 0, pixels = 0;
  int present = 0;
  for (const Counts& each : counts_) {
    const std::int64_t either = each.truth + each.found - each.both;
    if (either == 0) continue;
    ++present;
    sum += static_cast<double>(each.both) / static_cast<double>(either);
    right += static_cast<double>(each.both), pixels += static_cast<double>(each.truth);
  }
  if (present == 0) return bad_input("{}: no pixel of the masks has a class", place);
  return ModelScore{sum / present, right / pixels};
}

}  // namespace visq::analysis
