#include "analysis/values/value_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/facts/channels.h"
#include "core/as_size.h"

namespace visq::analysis {
namespace {

/// Bins of a histogram; the grid of quantized values may ask for fewer.
constexpr std::size_t kBins = 120;
constexpr double kWhiskers = 1.5;

/// Calls visit(box, values) for every channel, with the box that it belongs to.
template <class Visit>
void for_each_box(const float* values, const Shape& shape, int axis, std::vector<float>& scratch, Visit visit) {
  if (axis < 0 || axis >= shape.rank()) return;
  const std::int64_t channels = shape[axis], boxes = std::min(channels, kMostBoxes);
  for_each_channel(values, shape, axis, scratch, [&](std::size_t channel, std::span<const float> slice) {
    visit(as_size(static_cast<std::int64_t>(channel) * boxes / channels), slice);
  });
}

/// [low, high] in parts that hold equally many values of a grid each, so that no part looks fuller than its neighbours for holding one
/// more of them; kBins even parts where there is no grid.
Histogram empty_histogram(double low, double high, double step) {
  if (!(high > low)) high = low + std::max(1.0, std::fabs(low)) * 1e-3, low -= high - low;
  const double codes = step > 0 ? (high - low) / step : 0;
  if (!(codes >= 1) || codes > 1e6) return {low, high, std::vector<double>(kBins, 0)};
  const double width = step * std::ceil((codes + 1) / static_cast<double>(kBins));
  const double first = (std::round(low / step) - 0.5) * step;
  const auto bins = static_cast<std::size_t>(std::max(1.0, std::ceil((high - first) / width)));
  return {first, first + width * static_cast<double>(bins), std::vector<double>(bins, 0)};
}

ValueHistogram filled(const metrics::ValueSketch& sketch, Histogram histogram) {
  histogram.counts = sketch.histogram(histogram.low, histogram.high, histogram.counts.size());
  return {std::move(histogram), std::max(std::fabs(sketch.min()), std::fabs(sketch.max()))};
}

}  // namespace

void ValueSpread::count(const float* f, const float* q, const Shape& shape, std::vector<float>& scratch) {
  const auto elements = as_size(shape.elements());
  f_.add({f, elements});
  for (std::size_t i = 0; i < elements; ++i) {
    const auto value = static_cast<double>(f[i]);
    below_ += value < unclipped_.low && std::isfinite(value) ? 1 : 0;
    above_ += value > unclipped_.high && std::isfinite(value) ? 1 : 0;
  }
  q_.add({q, elements});
  scratch.resize(elements);
  for (std::size_t i = 0; i < elements; ++i) scratch[i] = f[i] - q[i];
  d_.add(scratch);
  for_each_box(f, shape, axis_, scratch, [&](std::size_t index, std::span<const float> slice) {
    if (boxes_.size() <= index) boxes_.resize(index + 1);
    boxes_[index].add(slice);
  });
}

SpreadRecord ValueSpread::sums(const float* f, const float* q, const Shape& shape, std::vector<float>& scratch) const {
  SpreadRecord record;
  record.shape = shape;
  const auto elements = as_size(shape.elements());
  for (std::size_t i = 0; i < elements; ++i) {
    const auto a = static_cast<double>(f[i]), d = a - static_cast<double>(q[i]);
    if (!std::isfinite(d)) continue;
    record.signal += a * a;
    record.noise += d * d;
  }
  for_each_box(f, shape, axis_, scratch, [&](std::size_t index, std::span<const float> slice) {
    if (record.means.size() <= index) record.means.resize(index + 1);
    record.means[index].add(slice);
  });
  return record;
}

void ValueSpread::fold(SpreadRecord&& record) {
  signal_ += record.signal;
  noise_ += record.noise;
  if (means_.size() < record.means.size()) means_.resize(record.means.size());
  for (std::size_t i = 0; i < record.means.size(); ++i) means_[i].merge(record.means[i]);
  shape_ = std::move(record.shape);
  if (axis_ >= 0 && axis_ < shape_.rank()) channels_ = std::max(channels_, shape_[axis_]);
}

BoxPlot ValueSpread::box(std::size_t index) const {
  BoxPlot plot;
  const auto boxes = static_cast<std::int64_t>(boxes_.size()), i = static_cast<std::int64_t>(index);
  plot.first_channel = (i * channels_ + boxes - 1) / boxes;
  plot.last_channel = ((i + 1) * channels_ + boxes - 1) / boxes - 1;
  const metrics::ValueSketch& sketch = boxes_[index];
  plot.count = sketch.count();
  if (plot.count == 0) return plot;
  plot.lower_quartile = sketch.quantile(0.25);
  plot.median = sketch.quantile(0.5);
  plot.upper_quartile = sketch.quantile(0.75);
  plot.mean = index < means_.size() ? means_[index].mean : 0;
  const double reach = kWhiskers * (plot.upper_quartile - plot.lower_quartile);
  plot.lower_whisker = plot.lower_quartile;
  plot.upper_whisker = plot.upper_quartile;
  const auto buckets = sketch.buckets();
  for (const auto& bucket : buckets) {
    const bool first = &bucket == &buckets.front(), last = &bucket == &buckets.back();
    const double value = first ? bucket.low : last ? bucket.high : bucket.middle();  // the extremes are known exactly
    if (value < plot.lower_quartile - reach || value > plot.upper_quartile + reach) {
      plot.outliers.push_back(value);
      if (std::fabs(value) >= std::fabs(plot.largest_outlier)) plot.largest_outlier = value;
      continue;
    }
    plot.lower_whisker = std::min(plot.lower_whisker, value);
    plot.upper_whisker = std::max(plot.upper_whisker, value);
  }
  return plot;
}

void ValueSpread::finish(Distribution& result, double step) const {
  result.shape = shape_;
  result.smallest = f_.min();
  result.greatest = f_.max();
  result.values = f_.count();
  result.below = below_;
  result.above = above_;
  result.sqnr = noise_ > 0 ? 10 * std::log10(signal_ / noise_) : std::numeric_limits<double>::infinity();
  const Histogram values = empty_histogram(std::min(f_.min(), q_.min()), std::max(f_.max(), q_.max()), step);
  result.before = filled(f_, values);
  result.after = filled(q_, values);
  result.difference = filled(d_, empty_histogram(d_.min(), d_.max(), 0));
  result.axis = axis_;
  result.channels = channels_;
  for (std::size_t i = 0; i < boxes_.size(); ++i) result.boxes.push_back(box(i));
}

}  // namespace visq::analysis
