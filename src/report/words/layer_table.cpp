#include "report/words/layer_table.h"

#include <cmath>
#include <limits>

#include "report/words/origin_summary.h"
#include "report/words/text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

using NumberText = std::string (*)(double);

/// Column titles of the tool that this table follows, then ours.
const std::vector<Column>& table_columns() {
  static const std::vector<Column> columns = {{"index"},
                                              {"mod_name"},
                                              {"base_op_type"},
                                              {"analy_op_type"},
                                              {"shape"},
                                              {"quant_dtype"},
                                              {"qscale"},
                                              {"Cosine", true},
                                              {"L1", true},
                                              {"Atol", true},
                                              {"max_qscale_diff", true},
                                              {"base_model_min", true},
                                              {"analy_model_min", true},
                                              {"base_model_max", true},
                                              {"analy_model_max", true},
                                              {"base_model_mean", true},
                                              {"analy_model_mean", true},
                                              {"SQNR", true},
                                              {"MSE", true},
                                              {"MPEIR", true},
                                              {"verdict"},
                                              {"names"},
                                              {"differing", true}};
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
  const auto metric = [&](std::string_view name) { return cell(value_of(result, map, metric_index(name)), number); };
  const auto statistic = [&](double MapStatistics::*field, bool of_reference) {
    return map.not_compared.empty() ? number((of_reference ? map.reference_statistics : map.quantized_statistics).*field) : std::string();
  };
  return {place(reference),
          printable(result.maps[node.first].reference.name),
          printable(reference.op),
          printable(quantized.op),
          compact(map.shape),
          std::string(name(quantized.dtype)),
          scale_text(quantized.scale),
          metric("cosine"),
          metric("l1"),
          metric("atol"),
          metric("max_qscale_diff"),
          statistic(&MapStatistics::min, true),
          statistic(&MapStatistics::min, false),
          statistic(&MapStatistics::max, true),
          statistic(&MapStatistics::max, false),
          statistic(&MapStatistics::mean, true),
          statistic(&MapStatistics::mean, false),
          metric("sqnr"),
          metric("mse"),
          metric("mpeir"),
          remark(map),
          printable(reference.name) + " | " + printable(quantized.name),
          map.integer && map.not_compared.empty() ? number(map.differing_share) : std::string()};
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
