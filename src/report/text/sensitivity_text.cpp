// sensitivity for people: what was measured, the table of things, what is missing; and the same table as CSV.
#include <fmt/core.h>

#include <algorithm>

#include "core/joined.h"
#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/sensitivity.h"

namespace visq::report {
namespace {

std::string cell(const MetricValue& value, bool exactly) {
  return exactly && value.state == MetricValue::State::kFinite ? exact(value.value) : brief(value);
}

std::string interval(const Sensitivity& node) { return node.rank_low > 0 ? fmt::format("{}-{}", node.rank_low, node.rank_high) : "-"; }

using Rows = std::vector<std::vector<std::string>>;

/// Columns as files have them, in their order.
std::vector<FittedColumn> file_columns(const SensitivityResult& result) {
  std::vector<FittedColumn> columns{{{"op_name"}, 0, true}, {{"sensitive_type"}}, {{"op_type"}, 3}, {{"consumers"}, 8, true}};
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    columns.push_back({{std::string(metric_info(result.metrics[i]).name), true}, i == 0 ? 0 : 2});
  }
  columns.push_back({{"quant_dtype"}, 4});
  columns.push_back({{"threshold", true}, 5});
  columns.push_back({{"bits", true}, 6});
  columns.push_back({{"flops", true}, 7});
  columns.push_back({{"flops_share", true}, 5});
  columns.push_back({{"node", true}, 1});
  columns.push_back({{"rank", true}, 0});
  columns.push_back({{"rank_interval"}, result.rank_interval.empty() ? 9 : 1});
  columns.push_back({{"records", true}, result.estimate ? 1 : 9});
  columns.push_back({{"differing_share", true}, 9});
  columns.push_back({{"non_finite", true}, 9});
  return columns;
}

/// `exactly`: all digits.
std::vector<std::string> row_of(const Sensitivity& node, bool exactly) {
  const SensitivePart& part = node.part;
  const auto number = [&](double value) { return exactly ? exact(value) : brief(value); };
  std::vector<std::string> row{printable(part.reference.name), sensitive_type(part), printable(part.reference.op),
                               printable(joined(part.consumers, " | "))};
  for (const MetricValue& value : node.metrics) row.push_back(cell(value, exactly));
  row.push_back(part.quant_dtype);
  row.push_back(number(part.threshold));
  row.push_back(std::to_string(part.bits));
  row.push_back(std::to_string(part.flops));
  row.push_back(exactly ? exact(part.flops_share) : fmt::format("{:.1f} %", 100 * part.flops_share));
  row.push_back(std::to_string(part.reference.node));
  row.push_back(std::to_string(node.rank));
  row.push_back(interval(node));
  row.push_back(std::to_string(node.records));
  row.push_back(node.integer_outputs ? number(node.differing_share) : "-");
  row.push_back(std::to_string(node.non_finite));
  return row;
}

/// The terminal's table: the rank and the place in the graph first, of the rest what fits; columns that say the same in every row are left
/// out.
std::string terminal_table(const SensitivityResult& result, std::size_t columns, std::size_t first) {
  std::vector<FittedColumn> all = file_columns(result);
  Rows rows;
  for (std::size_t i = 0; i < std::min(first, result.nodes.size()); ++i) {
    rows.push_back(row_of(result.nodes[i], false));
    rows.back().front() = printable(shown_name(result.nodes[i].part.reference));
  }
  std::vector<std::size_t> order;
  const auto is = [&](std::size_t i, std::string_view title) { return all[i].column.title == title; };
  const auto says_nothing = [&](std::size_t i) {
    return (is(i, "sensitive_type") || is(i, "differing_share") || is(i, "non_finite") || is(i, "rank_interval") || is(i, "records")) &&
           std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row[i] == rows.front()[i]; });
  };
  for (const std::string_view title : {"rank", "node"}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is(i, title)) order.push_back(i);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is(i, "rank") && !is(i, "node") && !says_nothing(i)) order.push_back(i);
  }
  std::vector<FittedColumn> shown;
  for (const std::size_t i : order) shown.push_back(all[i]);
  Rows cells;
  for (const auto& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const std::size_t i : order) line.push_back(row[i]);
  }
  return fitted_table(shown, cells, columns);
}

std::string file_table(const SensitivityResult& result) {
  std::vector<Column> columns;
  for (const FittedColumn& column : file_columns(result)) columns.push_back(column.column);
  Rows rows;
  for (const Sensitivity& node : result.nodes) rows.push_back(row_of(node, false));
  return text_table(columns, rows);
}

std::string head(const SensitivityResult& result, std::size_t columns) {
  std::vector<std::string> outputs;
  for (const MapIdentity& output : result.outputs) outputs.push_back(printable(name_for(output, columns)));
  std::string types;
  for (const SensitiveType type : result.types) types += fmt::format("{}{}", types.empty() ? "" : ", ", name(type));
  std::string text =
      wrapped(fmt::format("{}, quantized as in {}: {} ({})", printable(result.reference.path), printable(result.quantized.path),
                          result.leave_one_out ? "everything but one thing" : "one thing at a time, everything else float", types),
              columns, 2) +
      "\n";
  const std::string shown = outputs.size() <= 3 ? joined(outputs, ", ") : plural(static_cast<std::int64_t>(outputs.size()), "output");
  text += wrapped(fmt::format("{}; error of {}{}", data_text(result), shown, outputs.size() > 1 ? ", the worst of them" : ""), columns, 2) +
          "\n";
  std::string all;
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    all += fmt::format("{}{} {}", i == 0 ? "" : ", ", metric_info(result.metrics[i]).name, cell(result.all_quantized[i], false));
  }
  text += wrapped("Everything quantized: " + all, columns, 2) + "\n";
  if (!result.rank_interval.empty()) text += wrapped("rank_interval: " + result.rank_interval, columns, 2) + "\n";
  return text + "\n";
}

std::string notes(const SensitivityResult& result, std::size_t columns) {
  std::string text;
  for (const Sensitivity& node : result.nodes) {
    if (node.non_finite == 0 && node.not_compared.empty()) continue;
    const std::string what = node.not_compared.empty() ? fmt::format("{} became NaN or Inf", plural(node.non_finite, "element"))
                                                       : "not compared: " + printable(node.not_compared);
    text += wrapped(fmt::format("{} ({}): {}", printable(name_for(node.part.reference, columns)), sensitive_type(node.part), what), columns,
                    2) +
            "\n";
  }
  for (const std::string& remark : result.remarks) text += wrapped(printable(remark), columns, 2) + "\n";
  if (!result.gaps.empty()) {
    text += wrapped(fmt::format("{} of the quantized model cannot be quantized alone, because the graphs differ there:",
                                plural(static_cast<std::int64_t>(result.gaps.size()), "operator")),
                    columns, 2) +
            "\n";
  }
  const std::size_t listed = columns == 0 ? result.gaps.size() : std::min<std::size_t>(3, result.gaps.size());
  for (std::size_t i = 0; i < listed; ++i) {
    text += wrapped(fmt::format("  {} {}: {}", result.gaps[i].map.node, printable(name_for(result.gaps[i].map, columns)),
                                printable(result.gaps[i].reason)),
                    columns, 4) +
            "\n";
  }
  if (listed < result.gaps.size()) text += fmt::format("  and {} more\n", result.gaps.size() - listed);
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string sensitivity_text(const SensitivityResult& result, std::size_t columns, std::size_t rows) {
  std::string text = head(result, columns);
  if (columns == 0) return text + file_table(result) + notes(result, columns);
  text += terminal_table(result, columns, rows);
  if (result.nodes.size() > rows) text += fmt::format("and {} more; -o DIR writes them all\n", result.nodes.size() - rows);
  return text + notes(result, columns);
}

std::string sensitivity_csv(const SensitivityResult& result) {
  std::vector<Column> columns;
  for (const FittedColumn& column : file_columns(result)) columns.push_back(column.column);
  Rows rows;
  for (const Sensitivity& node : result.nodes) rows.push_back(row_of(node, true));
  return csv_table(columns, rows);
}

}  // namespace visq::report
