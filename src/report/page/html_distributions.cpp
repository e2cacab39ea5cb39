// Histograms and box plots of every tensor, small enough for one page.
#include <algorithm>
#include <cmath>

#include "report/page/html_analyses.h"

namespace visq::report {
namespace {

constexpr double kLevels = 4095;
/// More parts are put together by twos until they are no more than this.
constexpr std::size_t kMostBins = 80;

void append_level(std::string& text, double share) {
  const auto level = static_cast<std::size_t>(std::lround(kLevels * std::clamp(share, 0.0, 1.0)));
  text += kLetters[level / 64];
  text += kLetters[level % 64];
}

std::vector<double> few(std::vector<double> counts) {
  while (counts.size() > kMostBins) {
    if (counts.size() % 2 != 0) counts.push_back(0);
    for (std::size_t i = 0; i < counts.size() / 2; ++i) counts[i] = counts[2 * i] + counts[2 * i + 1];
    counts.resize(counts.size() / 2);
  }
  return counts;
}

/// [low, high, most, letters, max|x|]
Json json_histogram(const ValueHistogram& values) {
  const std::vector<double> counts = few(values.histogram.counts);
  const double most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  // Parts that were filled up to an even number reach beyond the end.
  double high = values.histogram.high;
  std::size_t bins = values.histogram.counts.size();
  if (bins > 0) {
    const double width = (values.histogram.high - values.histogram.low) / static_cast<double>(bins);
    std::size_t joined = 1;
    for (; bins > kMostBins; bins = (bins + 1) / 2) joined *= 2;
    high = values.histogram.low + width * static_cast<double>(joined * bins);
  }
  std::string letters;
  for (const double count : counts) append_level(letters, most > 0 ? std::log1p(count) / std::log1p(most) : 0);
  return {json_short(values.histogram.low), json_short(high), json_short(most), letters, json_short(values.largest)};
}

/// [low, high, letters]: per box its whiskers, quartiles, median, mean, and the largest outlier (the median where there is none), in the
/// order lower whisker, lower quartile, median, mean, upper quartile, upper whisker, outlier.
Json json_boxes(const std::vector<BoxPlot>& boxes) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const BoxPlot& box : boxes) {
    if (box.count == 0) continue;
    low = std::min({low, box.lower_whisker, box.largest_outlier, box.mean});
    high = std::max({high, box.upper_whisker, box.largest_outlier, box.mean});
  }
  if (!(low <= high)) return nullptr;
  std::string letters;
  for (const BoxPlot& box : boxes) {
    const double outlier = box.outliers.empty() ? box.median : box.largest_outlier;
    for (const double value :
         {box.lower_whisker, box.lower_quartile, box.median, box.mean, box.upper_quartile, box.upper_whisker, outlier}) {
      append_level(letters, high > low ? (value - low) / (high - low) : 0);
    }
  }
  return {json_short(low), json_short(high), letters};
}

Json json_distribution(const Distribution& each, const Places& places) {
  Json map = places.map(each.reference);
  return {{"kind", each.kind == Distribution::Kind::kWeight ? "weight" : "activation"},
          {"name", each.kind == Distribution::Kind::kActivation && !map.is_null() ? Json("") : json_string(each.reference_tensor)},
          {"map", std::move(map)},
          {"range", each.lowest && each.highest ? Json{json_short(*each.lowest), json_short(*each.highest)} : Json(nullptr)},
          {"before", json_histogram(each.before)},
          {"after", json_histogram(each.after)},
          {"difference", json_histogram(each.difference)},
          {"axis", each.axis},
          {"channels", each.channels},
          {"boxes", json_boxes(each.boxes)}};
}

}  // namespace

Json json_distributions(const DistributionResult& result, const Places& places) {
  Json rows = Json::array();
  for (const Distribution& each : result.distributions) rows.push_back(json_distribution(each, places));
  return {{"records", result.records.last - result.records.first}, {"rows", std::move(rows)}};
}

}  // namespace visq::report
