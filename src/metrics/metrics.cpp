// The registry of metrics, and what it answers to the rest of the program.
#include <algorithm>
#include <cctype>
#include <vector>

#include "metrics/metric.h"

namespace visq {
namespace metrics {

std::vector<const MetricDef*> metric_all();  // generated from the files in defs/

std::span<const MetricDef* const> metric_defs() {
  static const std::vector<const MetricDef*> defs = [] {
    std::vector<const MetricDef*> all = metric_all();
    std::sort(all.begin(), all.end(), [](const MetricDef* a, const MetricDef* b) {
      return a->position != b->position ? a->position < b->position : a->info.name < b->info.name;
    });
    return all;
  }();
  return defs;
}

}  // namespace metrics

namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

const std::vector<MetricInfo>& all_metrics() {
  static const std::vector<MetricInfo> infos = [] {
    std::vector<MetricInfo> all;
    for (const metrics::MetricDef* def : metrics::metric_defs()) all.push_back(def->info);
    return all;
  }();
  return infos;
}

Metric metric_named(std::string_view name) {
  const auto& all = all_metrics();
  const std::string_view wanted = same_name(name, "chebyshev") ? "atol" : name;  // the same distance under its other name
  const auto found = std::find_if(all.begin(), all.end(), [&](const MetricInfo& info) { return same_name(info.name, wanted); });
  return found == all.end() ? Metric::kNone : static_cast<Metric>(found - all.begin());
}

std::vector<Metric> every_metric() {
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < all_metrics().size(); ++i) metrics.push_back(static_cast<Metric>(i));
  return metrics;
}

bool worse(const MetricInfo& metric, const MetricValue& a, const MetricValue& b) {
  using State = MetricValue::State;
  if (a.state == State::kUndefined || b.state == State::kUndefined || a.state == State::kInfinite) return false;
  if (b.state == State::kInfinite) return true;
  return metric.better == Direction::kLowerIsBetter ? a.value > b.value : a.value < b.value;
}

}  // namespace visq
