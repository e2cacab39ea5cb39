#include "report/words/view.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/as_size.h"
#include "core/joined.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

bool same_node(const MapIdentity& a, const MapIdentity& b) {
  if (a.subgraph != b.subgraph || a.node != b.node) return false;
  return a.node >= 0 || a.output == b.output;  // every graph input is a node of its own
}

}  // namespace

MetricValue value_of(const CompareResult& result, const MapComparison& map, Metric metric) {
  const auto found = std::find(result.metrics.begin(), result.metrics.end(), metric);
  const auto position = as_size(found - result.metrics.begin());
  return position < map.metrics.size() ? map.metrics[position] : MetricValue{};
}

std::vector<double> finite_values(const CompareResult& result, Metric metric) {
  std::vector<double> values;
  for (const MapComparison& map : result.maps) {
    const MetricValue value = value_of(result, map, metric);
    if (value.state == MetricValue::State::kFinite) values.push_back(value.value);
  }
  return values;
}

Metric main_metric(const CompareResult& result) {
  const auto first =
      std::find_if(result.metrics.begin(), result.metrics.end(), [](Metric metric) { return metric_info(metric).look.terminal == 1; });
  if (first != result.metrics.end()) return *first;
  return result.metrics.empty() ? Metric::kNone : result.metrics.front();
}

std::vector<Metric> metrics_in(int MetricLook::*table) {
  const auto place = [&](Metric metric) { return metric_info(metric).look.*table; };
  std::vector<Metric> shown = every_metric();
  std::erase_if(shown, [&](Metric metric) { return place(metric) == 0; });
  std::sort(shown.begin(), shown.end(), [&](Metric a, Metric b) { return place(a) < place(b); });
  return shown;
}

std::vector<NodeRow> node_rows(const CompareResult& result, Metric metric) {
  std::vector<NodeRow> rows;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    if (rows.empty() || !same_node(result.maps[rows.back().first].reference, result.maps[i].reference)) {
      rows.push_back({i, i});
      continue;
    }
    if (metric == Metric::kNone) continue;
    const MetricValue candidate = value_of(result, result.maps[i], metric);
    const MetricValue worst = value_of(result, result.maps[rows.back().worst], metric);
    const bool only = worst.state == MetricValue::State::kUndefined && candidate.state != MetricValue::State::kUndefined;
    if (only || worse(metric_info(metric), candidate, worst)) rows.back().worst = i;
  }
  return rows;
}

std::vector<NodeRow> worst_rows(const CompareResult& result, Metric metric) {
  std::vector<NodeRow> rows = node_rows(result, metric);
  if (metric == Metric::kNone) return rows;
  const MetricInfo& info = metric_info(metric);
  const auto value = [&](const NodeRow& row) { return value_of(result, result.maps[row.worst], metric); };
  std::erase_if(rows, [&](const NodeRow& row) { return value(row).state == MetricValue::State::kUndefined; });
  std::stable_sort(rows.begin(), rows.end(), [&](const NodeRow& a, const NodeRow& b) { return worse(info, value(a), value(b)); });
  return rows;
}

std::string brief(const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return "inf";
  return value.state == MetricValue::State::kFinite ? brief(value.value) : "-";
}

std::string exact(const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return "inf";
  return value.state == MetricValue::State::kFinite ? exact(value.value) : "";
}

std::string place(const MapIdentity& map) {
  const std::string node = map.node < 0 ? fmt::format("in{}", map.output) : std::to_string(map.node);
  return map.subgraph == 0 ? node : fmt::format("{}/{}", map.subgraph, node);
}

std::string compact(const Shape& shape) {
  if (shape.rank() == 0) return "scalar";
  return joined(shape.dims(), "x");
}

std::string scale_text(const std::vector<float>& scale) {
  if (scale.empty()) return "";
  if (scale.size() == 1) return fmt::format("{}", scale.front());
  const auto [low, high] = std::minmax_element(scale.begin(), scale.end());
  return fmt::format("{}..{} ({})", *low, *high, scale.size());
}

std::string clipped_text(const Distribution& distribution) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view where) {
    if (count == 0) return;
    const double percent = 100 * static_cast<double>(count) / static_cast<double>(distribution.values);
    text += (text.empty() ? "" : ", ") + (percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent));
    text += fmt::format(" % {}", where);
  };
  add(distribution.below, "below");
  add(distribution.above, "above");
  return text;
}

std::string remark(const MapComparison& map) {
  if (!map.not_compared.empty()) return "not compared: " + printable(map.not_compared);
  return printable(map.verdict);
}

}  // namespace visq::report
