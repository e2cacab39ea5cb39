#include "report/words/layer_table.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "report/words/origin_summary.h"
#include "report/words/text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

using NumberText = std::string (*)(double);

/// Places of the metrics' columns (MetricLook::table): those that the tool has which this table follows, and ours.
constexpr int kOurs = 10;

/// The metrics of one or the other, in their order.
std::vector<Metric> table_metrics(bool ours) {
  std::vector<Metric> metrics = metrics_in(&MetricLook::table);
  std::erase_if(metrics, [&](Metric metric) { return (metric_info(metric).look.table >= kOurs) != ours; });
  return metrics;
}
const std::vector<Metric>& followed_metrics() {
  static const std::vector<Metric> metrics = table_metrics(false);
  return metrics;
}
const std::vector<Metric>& own_metrics() {
  static const std::vector<Metric> metrics = table_metrics(true);
  return metrics;
}

/// Column titles of the tool that this table follows, then ours.
std::vector<Column> table_columns() {
  std::vector<Column> columns = {{"index"}, {"mod_name"}, {"base_op_type"}, {"analy_op_type"}, {"shape"}, {"quant_dtype"}, {"qscale"}};
  const auto add = [&](Metric metric) {
    const MetricInfo& info = metric_info(metric);
    columns.push_back({std::string(info.look.heading.empty() ? info.label : info.look.heading), true});
  };
  for (const Metric metric : followed_metrics()) add(metric);
  for (const char* statistic : {"min", "max", "mean"}) {
    for (const char* model : {"base_model", "analy_model"}) columns.push_back({fmt::format("{}_{}", model, statistic), true});
  }
  for (const Metric metric : own_metrics()) add(metric);
  columns.insert(columns.end(), {{"verdict"}, {"names"}, {"differing", true}});
  return columns;
}

/// A column that --origin adds.
struct OriginColumn {
  std::string title;
  double (*value)(const ErrorOrigin& origin);
};

template <double ThreeErrors::*kError>
double in_roundings(const ErrorOrigin& origin) {
  return origin.in_roundings ? (*origin.in_roundings).*kError : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<OriginColumn>& origin_columns() {
  using Origin = const ErrorOrigin&;
  static const std::vector<OriginColumn> columns = {{"accumulated", [](Origin origin) { return origin.errors.accumulated; }},
                                                    {"created", [](Origin origin) { return origin.errors.created; }},
                                                    {"inherited", [](Origin origin) { return origin.errors.inherited; }},
                                                    {"interaction", [](Origin origin) { return origin.interaction; }},
                                                    {"weight_rounding", [](Origin origin) { return origin.weight_rounding; }},
                                                    {"inner_rounding", [](Origin origin) { return origin.inner_rounding; }},
                                                    {"output_rounding", [](Origin origin) { return origin.output_rounding; }},
                                                    {"output_clipping", [](Origin origin) { return origin.output_clipping; }},
                                                    {"accumulated_in_roundings", in_roundings<&ThreeErrors::accumulated>},
                                                    {"created_in_roundings", in_roundings<&ThreeErrors::created>},
                                                    {"inherited_in_roundings", in_roundings<&ThreeErrors::inherited>},
                                                    {"noise_to_signal", [](Origin origin) { return origin.noise_to_signal; }},
                                                    {"output_share", [](Origin origin) { return origin.output_share; }}};
  return columns;
}

void add_origin(const MapComparison& map, NumberText number, std::vector<std::string>& cells) {
  for (const OriginColumn& column : origin_columns()) {
    const double value = map.origin ? column.value(*map.origin) : std::numeric_limits<double>::quiet_NaN();
    cells.push_back(std::isfinite(value) ? number(value) : std::string());
  }
}

std::string cell(const MetricValue& value, NumberText number) {
  switch (value.state) {
    case MetricValue::State::kFinite:
      return number(value.value);
    case MetricValue::State::kInfinite:
      return "inf";
    case MetricValue::State::kUndefined:
      break;
  }
  return "";
}

std::vector<std::string> row(const CompareResult& result, const NodeRow& node, NumberText number) {
  const MapComparison& map = result.maps[node.worst];
  const MapIdentity& reference = map.reference;
  const MapIdentity& quantized = map.quantized;
  std::vector<std::string> cells{place(reference),           printable(result.maps[node.first].reference.name),
                                 printable(reference.op),    printable(quantized.op),
                                 compact(map.shape),         std::string(name(quantized.dtype)),
                                 scale_text(quantized.scale)};
  for (const Metric metric : followed_metrics()) cells.push_back(cell(value_of(result, map, metric), number));
  for (double MapStatistics::*statistic : {&MapStatistics::min, &MapStatistics::max, &MapStatistics::mean}) {
    for (const MapStatistics* side : {&map.reference_statistics, &map.quantized_statistics}) {
      cells.push_back(map.not_compared.empty() ? number(side->*statistic) : std::string());
    }
  }
  for (const Metric metric : own_metrics()) cells.push_back(cell(value_of(result, map, metric), number));
  cells.insert(cells.end(), {remark(map), printable(reference.name) + " | " + printable(quantized.name),
                             map.integer && map.not_compared.empty() ? number(map.differing_share) : std::string()});
  return cells;
}

}  // namespace

LayerTable layer_table(const CompareResult& result, NumberText number) {
  LayerTable table{table_columns(), {}};
  const bool origins = has_origins(result);
  for (const OriginColumn& column : origin_columns()) {
    if (origins) table.columns.push_back({column.title, true});
  }
  for (const NodeRow& node : node_rows(result, main_metric(result))) {
    table.rows.push_back(row(result, node, number));
    if (origins) add_origin(result.maps[node.worst], number, table.rows.back());
  }
  return table;
}

}  // namespace visq::report
