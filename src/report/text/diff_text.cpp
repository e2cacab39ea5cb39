// diff for the terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/as_size.h"
#include "report/words/fitted_table.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/diff.h"

namespace visq::report {
namespace {

constexpr std::size_t kRowsListed = 20;

/// By which a row is worst: values that are gone or have no ratio come first.
double weight(const Difference& each) { return std::isnan(each.relative) ? std::numeric_limits<double>::infinity() : each.relative; }

std::string percent(const Difference& each) {
  if (std::isnan(each.relative)) return "-";
  const bool lower = diff_metrics()[as_size(each.metric)].better == Direction::kLowerIsBetter;
  return fmt::format("{:+.3g} %", 100 * (lower ? each.relative : -each.relative));
}

std::string table(const std::vector<const Difference*>& differences, const std::vector<std::size_t>& others, std::size_t columns) {
  const std::vector<FittedColumn> titles = {{{"index", true}, 3},  {{"name"}, 0, true}, {{"op"}, 2},
                                            {{"metric"}, 0},       {{"old", true}, 0},  {{"new", true}, 0},
                                            {{"change", true}, 1}, {{""}, 0},           {{"also", true}, 4}};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const Difference& each = *differences[i];
    rows.push_back({each.map.index < 0 ? "-" : std::to_string(each.map.index), printable(name_for(each.map, columns)),
                    printable(each.map.op), std::string(diff_metrics()[as_size(each.metric)].label), brief(each.before), brief(each.after),
                    percent(each), each.change == Change::kWorse ? "worse" : "better",
                    others[i] == 0 ? "" : fmt::format("{} more", others[i])});
  }
  return fitted_table(titles, rows, columns);
}

std::string outputs(const DiffResult& result, std::size_t columns) {
  std::vector<const Difference*> rows;
  for (const Difference& each : result.differences) {
    if (each.output) rows.push_back(&each);
  }
  if (rows.empty()) return fmt::format("\nOutputs: {} compared, none changed\n", result.outputs);
  return "\nOutputs\n" + table(rows, std::vector<std::size_t>(rows.size()), columns);
}

/// One row per node that got worse: the metric that did so most.
std::string worse_nodes(const DiffResult& result, std::size_t columns) {
  struct Row {
    const Difference* worst;
    std::size_t others = 0;
  };
  std::vector<Row> rows;
  for (const Difference& each : result.differences) {
    if (each.output || each.change != Change::kWorse) continue;
    const bool same = !rows.empty() && rows.back().worst->map.subgraph == each.map.subgraph && rows.back().worst->map.name == each.map.name;
    if (!same) {
      rows.push_back({&each});
      continue;
    }
    ++rows.back().others;
    if (weight(each) > weight(*rows.back().worst)) rows.back().worst = &each;
  }
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return weight(*a.worst) > weight(*b.worst); });
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kRowsListed));
  std::vector<const Difference*> shown;
  std::vector<std::size_t> others;
  for (const Row& row : rows) {
    shown.push_back(row.worst);
    others.push_back(row.others);
  }
  return "\nWorse nodes, each by the metric that got worse most\n" + table(shown, others, columns) +
         (all > kRowsListed ? fmt::format("and {} more\n", all - kRowsListed) : "");
}

std::string text_of(const Tolerance& tolerance) {
  std::string text = brief(100 * tolerance.share) + " %";
  for (const auto& [index, allowance] : tolerance.own) {
    const MetricInfo& metric = diff_metrics()[as_size(index)];
    const std::string_view unit = metric.unit == MetricUnit::kDecibels ? " dB" : "";
    text += fmt::format(", {} {}", metric.name,
                        allowance.absolute ? brief(allowance.amount) + std::string(unit) : brief(100 * allowance.amount) + " %");
  }
  return text;
}

std::string unpaired(std::string_view which, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}, such as {}, only in the {} result\n", plural(static_cast<std::int64_t>(names.size()), "node"),
                     printable(names.front()), which);
}

}  // namespace

std::string diff_text(const DiffResult& result, std::size_t columns) {
  std::string text = fmt::format("old  {}\nnew  {}\n", printable(result.before.path), printable(result.after.path));
  if (result.before.reference.sha256 != result.after.reference.sha256) text += "The references are not the same file.\n";
  if (!same_records(result.before, result.after)) text += "The data are not the same.\n";
  text += outputs(result, columns) + worse_nodes(result, columns);
  text += fmt::format("\n{} of {} worse, {} better, {} as before (tolerance {})\n", result.nodes_worse, plural(result.nodes, "node"),
                      result.nodes_better, result.nodes - result.nodes_worse - result.nodes_better, text_of(result.tolerance));
  return text + unpaired("old", result.only_before) + unpaired("new", result.only_after);
}

}  // namespace visq::report
