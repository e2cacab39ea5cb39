#include "analysis/compare/device_layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/facts/correlation.h"
#include "core/as_size.h"
#include "data/channel_order.h"

namespace visq::analysis {
namespace {

using Order = DeviceLayout::Order;

/// A shape as n maps of so many pixels and channels.
struct Extent {
  std::int64_t n = 1, pixels = 1, channels = 1;
};

Extent extent_of(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {};
  if (rank == 1) return {1, 1, shape[0]};
  return {shape[0], shape.elements(1, rank - 1), shape.back()};
}

/// The axes of a map that is stored so.
Shape axes(const DeviceLayout& layout, const Shape& wanted) {
  const auto dims = wanted.dims();
  const Extent extent = extent_of(wanted);
  std::vector<std::int64_t> middle;
  if (dims.size() > 2) middle.assign(dims.begin() + 1, dims.end() - 1);
  std::vector<std::int64_t> all{extent.n};
  if (layout.order == Order::kSecond) all.push_back(layout.channels);
  if (layout.order == Order::kBlocks) all.push_back(layout.channels / layout.block);
  all.insert(all.end(), middle.begin(), middle.end());
  if (layout.order == Order::kLast) all.push_back(layout.channels);
  if (layout.order == Order::kBlocks) all.push_back(layout.block);
  return Shape(std::move(all));
}

}  // namespace

std::vector<DeviceLayout> possible_layouts(const Shape& stored, const Shape& wanted) {
  const Extent extent = extent_of(wanted);
  const std::int64_t elements = stored.elements();
  std::vector<DeviceLayout> ways;
  const auto consider = [&](Order order, std::int64_t channels, std::int64_t block) {
    if (extent.n * extent.pixels * channels != elements) return;
    DeviceLayout way{order, channels, block};
    way.as_shaped = data::without_ones(stored) == data::without_ones(axes(way, wanted));
    ways.push_back(way);
  };
  const bool has_planes = extent.pixels > 1 && extent.channels > 1;
  consider(Order::kLast, extent.channels, 0);
  if (has_planes) consider(Order::kSecond, extent.channels, 0);
  for (const std::int64_t unit : {4, 8, 16, 32}) {
    const std::int64_t filled = (extent.channels + unit - 1) / unit * unit;
    if (filled != extent.channels) {
      consider(Order::kLast, filled, 0);
      if (has_planes) consider(Order::kSecond, filled, 0);
    }
    if (extent.pixels > 1 && filled > unit) consider(Order::kBlocks, filled, unit);
  }
  std::stable_partition(ways.begin(), ways.end(), [](const DeviceLayout& way) { return way.as_shaped; });
  return ways;
}

std::vector<double> in_model_order(const std::vector<double>& stored, const DeviceLayout& layout, const Shape& wanted) {
  const Extent extent = extent_of(wanted);
  if (layout.order == Order::kLast && layout.channels == extent.channels) return stored;
  std::vector<double> result;
  result.reserve(as_size(wanted.elements()));
  for (std::int64_t n = 0; n < extent.n; ++n) {
    for (std::int64_t p = 0; p < extent.pixels; ++p) {
      for (std::int64_t c = 0; c < extent.channels; ++c) {
        std::int64_t place = (n * extent.pixels + p) * layout.channels + c;
        if (layout.order == Order::kSecond) place = (n * layout.channels + c) * extent.pixels + p;
        if (layout.order == Order::kBlocks) {
          const std::int64_t block = n * (layout.channels / layout.block) + c / layout.block;
          place = (block * extent.pixels + p) * layout.block + c % layout.block;
        }
        result.push_back(stored[as_size(place)]);
      }
    }
  }
  return result;
}

std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr std::size_t kMost = 16'384;
  const std::size_t count = std::min(a.size(), b.size()), stride = std::max<std::size_t>(1, count / kMost);
  Correlation sum;
  for (std::size_t i = 0; i < count; i += stride) sum.add(a[i], b[i]);
  return sum.value();
}

bool is_sure(const DeviceLayout& layout) {
  constexpr double kAlike = 0.9;
  return layout.correlation.value_or(-1) >= kAlike;
}

const DeviceLayout& likest(const std::vector<DeviceLayout>& ways) {
  constexpr double kMargin = 0.05;
  const DeviceLayout* best = &ways.front();
  for (const DeviceLayout& way : ways) {
    if (is_sure(way) && *way.correlation > best->correlation.value_or(-1) + kMargin) best = &way;
  }
  return *best;
}

std::string description(const DeviceLayout& layout, const Shape& stored, const Shape& wanted) {
  const std::int64_t channels = extent_of(wanted).channels;
  std::string text;
  if (layout.order == Order::kSecond) text = "its channels come second (NCHW)";
  if (layout.order == Order::kBlocks) text = fmt::format("its channels come in blocks of {}", layout.block);
  if (layout.channels != channels) {
    text += fmt::format("{}{} channels are filled up to {}", text.empty() ? "its " : ", its ", channels, layout.channels);
  }
  if (text.empty()) return "";
  if (!layout.as_shaped && stored.rank() > 1) text += ", though its axes do not say so";
  const std::string sure = layout.correlation ? fmt::format("correlation {:.3f}", *layout.correlation) : "by its shape alone";
  return fmt::format("{}: {} for {} ({})", text, to_string(stored), to_string(wanted), sure);
}

}  // namespace visq::analysis
