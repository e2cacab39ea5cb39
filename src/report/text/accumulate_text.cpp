// accumulate for people and spreadsheets: the curves, and a line per node.
#include <fmt/core.h>

#include <algorithm>

#include "report/pictures/metric_curves.h"
#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/accumulate.h"

namespace visq::report {
namespace {

/// A label that heads a column on the terminal; longer ones are "curve 1".
constexpr std::size_t kHeadLength = 14;
/// Columns of a line in a file, which has room for all members.
constexpr std::size_t kNoLimit = 1 << 30;
/// Columns of one member's name where there is a limit.
constexpr std::size_t kMemberLength = 36;

bool has_integers(const AccumulateResult& result) {
  return std::any_of(result.curves.begin(), result.curves.end(), [](const AccumulateCurve& curve) {
    return curve.output.differing ||
           std::any_of(curve.nodes.begin(), curve.nodes.end(), [](const auto& node) { return node.differing.has_value(); });
  });
}

const std::vector<MetricValue>& shown_values(const AccumulateResult& result, const AccumulatedError& error) {
  return result.average ? error.averages : error.metrics;
}

std::string column_head(const AccumulateResult& result, std::size_t curve) {
  const std::string label = curve_label(result.curves[curve]);
  return width(label) <= kHeadLength ? printable(label) : fmt::format("curve {}", curve + 1);
}

std::string legend(const AccumulateResult& result, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    const AccumulateCurve& curve = result.curves[i];
    text += fmt::format("{}. {}: {}\n", i + 1, curve.keep_float ? "everything quantized but" : "quantized",
                        shortened(printable(curve.label), columns > 0 ? columns - 30 : 1000));
    const std::string members = members_text(curve, columns > 0 ? columns - 3 : kNoLimit);
    if (!members.empty()) text += "   " + members + "\n";
    std::string values;
    for (std::size_t k = 0; k < result.metrics.size(); ++k) {
      values += fmt::format("{}{} {}", k > 0 ? ", " : "", metric_info(result.metrics[k]).label,
                            metric_text(result.metrics[k], curve.output.metrics[k]));
    }
    if (curve.output.differing) values += fmt::format(", {} of the integer outputs' elements differ", brief(*curve.output.differing));
    text += "   " + wrapped("at the output: " + values, columns, 3) + "\n";
  }
  return text;
}

std::string node_table(const AccumulateResult& result, std::size_t columns) {
  const bool integers = has_integers(result);
  std::vector<FittedColumn> table{{{"index", true}, 1}, {{"op"}, 2}, {{"name"}, 0, true}};
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    for (std::size_t k = 0; k < result.metrics.size(); ++k) {
      const std::string metric = result.metrics.size() > 1 ? fmt::format(" {}", metric_info(result.metrics[k]).label) : "";
      table.push_back({{column_head(result, i) + metric, true}, k == 0 ? 0 : 4 + static_cast<int>(k)});
    }
    if (integers) table.push_back({{column_head(result, i) + " differing", true}, 3});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    const MapIdentity& map = result.nodes[n].reference;
    std::vector<std::string> row{place(map), printable(map.op), printable(name_for(map, columns))};
    for (const AccumulateCurve& curve : result.curves) {
      const AccumulatedError& error = curve.nodes[n];
      for (std::size_t k = 0; k < result.metrics.size(); ++k) row.push_back(metric_text(result.metrics[k], shown_values(result, error)[k]));
      if (integers) row.push_back(error.differing ? brief(*error.differing) : "-");
    }
    rows.push_back(std::move(row));
  }
  return fitted_table(table, rows, columns);
}

/// What was not compared, and why; each node once.
std::string remarks(const AccumulateResult& result, std::size_t columns) {
  std::string text;
  for (const std::string& remark : result.remarks) text += wrapped("Note: " + printable(remark), columns, 2) + "\n";
  for (const NotComputed& missing : result.not_computed) {
    text += wrapped(fmt::format("Not computed: {}", printable(missing.reason)), columns, 0) + "\n";
  }
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    for (const AccumulateCurve& curve : result.curves) {
      if (curve.nodes[n].not_compared.empty()) continue;
      text += wrapped(fmt::format("{}: not compared: {}", printable(name_for(result.nodes[n].reference, columns)),
                                  printable(curve.nodes[n].not_compared)),
                      columns, 0) +
              "\n";
      break;
    }
  }
  for (const SensitivityGap& gap : result.gaps) {
    text += wrapped(fmt::format("{} stays float: {}", printable(name_for(gap.map, columns)), printable(gap.reason)), columns, 0) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string curve_label(const AccumulateCurve& curve) { return curve.keep_float ? "all but " + curve.label : curve.label; }

std::string members_text(const AccumulateCurve& curve, std::size_t columns) {
  if (curve.members.size() == 1 && curve.members.front() == curve.label) return {};
  const auto& names = columns < kNoLimit && curve.displays.size() == curve.members.size() ? curve.displays : curve.members;
  std::string text;
  for (std::size_t i = 0; i < curve.members.size(); ++i) {
    const std::string name = printable(names[i]);
    const std::string next = (i > 0 ? ", " : "") + (columns < kNoLimit ? shortened(name, kMemberLength) : name);
    const std::string rest = i + 1 < curve.members.size() ? fmt::format(" and {} more", curve.members.size() - i - 1) : "";
    if (i > 0 && width(text + next + rest) > columns) return text + fmt::format(" and {} more", curve.members.size() - i);
    text += next;
  }
  return text;
}

std::string accumulate_text(const AccumulateResult& result, std::size_t columns) {
  std::string text = pair_head(result);
  text += legend(result, columns) + "\n";
  if (result.average) text += "Values below are means over the nodes so far.\n";
  return text + node_table(result, columns) + remarks(result, columns);
}

std::string accumulate_csv(const AccumulateResult& result) {
  std::vector<Column> columns{{"index"}, {"op"}, {"name"}, {"quantized_name"}};
  for (const AccumulateCurve& curve : result.curves) {
    for (const Metric metric : result.metrics)
      columns.push_back({fmt::format("{} {}", curve_label(curve), metric_info(metric).label), true});
    if (result.average) {
      for (const Metric metric : result.metrics)
        columns.push_back({fmt::format("{} mean {}", curve_label(curve), metric_info(metric).label), true});
    }
    columns.push_back({curve_label(curve) + " differing", true});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t n = 0; n < result.nodes.size(); ++n) {
    const AccumulatedNode& node = result.nodes[n];
    std::vector<std::string> row{place(node.reference), node.reference.op, node.reference.name, node.quantized ? node.quantized->name : ""};
    for (const AccumulateCurve& curve : result.curves) {
      for (const MetricValue& value : curve.nodes[n].metrics) row.push_back(exact(value));
      for (const MetricValue& value : curve.nodes[n].averages) row.push_back(exact(value));
      row.push_back(curve.nodes[n].differing ? exact(*curve.nodes[n].differing) : "");
    }
    rows.push_back(std::move(row));
  }
  return csv_table(columns, rows);
}

}  // namespace visq::report
