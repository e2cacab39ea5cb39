// markdown: a summary that fits a comment on a pull request.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/format.h"
#include "report/text.h"
#include "report/view.h"

namespace visq::report {
namespace {

constexpr std::size_t kWorst = 10, kListed = 20;  ///< rows of the tables; comments are limited in size
constexpr std::size_t kLongest = 100;             ///< characters of a name or reason

/// Text of models as code that no Markdown reader takes for markup, a link, a mention or the end of a table's cell.
std::string code(std::string_view text) {
  const std::string shown = shortened(printable(text), kLongest);
  if (shown.empty()) return "";
  const bool edges = shown.front() != ' ' && shown.back() != ' ';
  if (edges && shown.find_first_of("`|\\<>&") == std::string::npos) return "`" + shown + "`";
  std::string out = "<code>";
  for (const char c : shown) {
    const bool plain =
        static_cast<unsigned char>(c) >= 0x80 || c == ' ' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    out += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return out + "</code>";
}

/// A table; columns from `numbers` on are aligned to the right.
std::string table(const std::vector<std::string>& titles, const std::vector<std::vector<std::string>>& rows, std::size_t numbers) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + cell + " |";
    return out + "\n";
  };
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < titles.size(); ++i) rule.emplace_back(i < numbers ? "---" : "---:");
  std::string out = line(titles) + line(rule);
  for (const auto& row : rows) out += line(row);
  return out;
}

/// What a comment has room for, of the metrics that there are.
std::vector<int> shown_metrics(const CompareResult& result, int sort) {
  std::vector<int> shown;
  for (const std::string_view name : {"sqnr", "cosine", "mse", "mpeir", "atol"}) {
    const int metric = metric_index(name);
    if (std::find(result.metrics.begin(), result.metrics.end(), metric) != result.metrics.end()) shown.push_back(metric);
  }
  if (sort >= 0 && std::find(shown.begin(), shown.end(), sort) == shown.end()) shown.insert(shown.begin(), sort);
  return shown;
}

std::string map_table(const CompareResult& result, const std::vector<NodeRow>& rows, const std::vector<int>& metrics) {
  std::vector<std::string> titles = {"index", "name", "op", "verdict"};
  for (const int metric : metrics) titles.emplace_back(all_metrics()[static_cast<std::size_t>(metric)].label);
  std::vector<std::vector<std::string>> cells;
  for (const NodeRow& row : rows) {
    const MapComparison& map = result.maps[row.worst];
    const std::string differing = map.integer ? brief(100 * map.differing_share) + " % differ" : "";
    auto& line = cells.emplace_back(std::vector<std::string>{place(map.reference), code(result.maps[row.first].reference.name),
                                                             code(map.reference.op), differing.empty() ? code(remark(map)) : differing});
    for (const int metric : metrics) line.push_back(brief(value_of(result, map, metric)));
  }
  return table(titles, cells, 4);
}

std::string conditions(const ReportOptions& options) {
  if (options.outcomes.empty()) return "";
  std::vector<std::string> failures;
  std::set<std::string> asked, broken;
  for (const ConditionOutcome& outcome : options.outcomes) {
    asked.insert(outcome.condition);
    if (outcome.failure.empty()) continue;
    broken.insert(outcome.condition);
    failures.push_back(outcome.failure);
  }
  if (broken.empty()) return fmt::format("\n**Passed**: {} held.\n", plural(static_cast<std::int64_t>(asked.size()), "condition"));
  std::string out = fmt::format("\n**Failed**: {} of {} {} not hold.\n\n", broken.size(),
                                plural(static_cast<std::int64_t>(asked.size()), "condition"), broken.size() == 1 ? "does" : "do");
  for (std::size_t i = 0; i < std::min(failures.size(), kListed); ++i) out += "- " + code(failures[i]) + "\n";
  if (failures.size() > kListed) out += fmt::format("- and {} more\n", failures.size() - kListed);
  return out;
}

std::string list(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = fmt::format("\n#### {}\n\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), kListed); ++i) out += "- " + lines[i] + "\n";
  if (lines.size() > kListed) out += fmt::format("- and {} more\n", lines.size() - kListed);
  return out;
}

std::string accuracy(const CompareResult& result) {
  if (!result.accuracy) return "";
  const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
  const Accuracy& values = *result.accuracy;
  return "\n#### Accuracy\n\n" +
         table({"model", "top-1", "top-5"},
               {{"reference", percent(values.reference.top1), percent(values.reference.top5)},
                {"quantized", percent(values.quantized.top1), percent(values.quantized.top5)}},
               1) +
         fmt::format("\nTop-1 drops by {:.2f} percentage points on {} records.\n", values.drop(), values.records);
}

std::string gaps_and_anomalies(const CompareResult& result) {
  std::vector<std::string> gaps, odd;
  for (const NotComputed& gap : result.not_computed) {
    gaps.push_back(fmt::format("{}: {} {}: {}", code(gap.model), place(gap.map), code(gap.map.op), code(gap.reason)));
  }
  for (const Anomaly& anomaly : result.anomalies) {
    odd.push_back(fmt::format("{} {}: {}, {} (limit {})", place(anomaly.map), code(anomaly.map.name), code(anomaly.kind),
                              brief(anomaly.value), brief(anomaly.limit)));
  }
  return list("Not computed", gaps) + list("Anomalies", odd);
}

std::string outputs(const CompareResult& result, const std::vector<int>& metrics) {
  if (result.outputs.empty()) return "";
  std::vector<NodeRow> rows;
  for (const int index : result.outputs) rows.push_back({static_cast<std::size_t>(index), static_cast<std::size_t>(index)});
  rows.resize(std::min(rows.size(), kListed));
  const std::size_t left = result.outputs.size() - rows.size();
  return "\n#### Outputs\n\n" + map_table(result, rows, metrics) + (left > 0 ? fmt::format("\nand {} more\n", left) : "");
}

std::string worst(const CompareResult& result, const std::vector<int>& metrics, int sort) {
  std::vector<NodeRow> rows = worst_rows(result, sort);
  rows.resize(std::min(rows.size(), kWorst));
  if (rows.empty()) return "";
  const std::string by = sort < 0 ? "" : fmt::format(" by {}", all_metrics()[static_cast<std::size_t>(sort)].label);
  const std::size_t all = node_rows(result, sort).size();
  return fmt::format("\n#### Worst {} of {} nodes{}\n\n", rows.size(), all, by) + map_table(result, rows, metrics);
}

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  const int sort = main_metric(result);
  const std::vector<int> metrics = shown_metrics(result, sort);
  std::string text = "### " + (options.title.empty() ? "Quantization error" : code(options.title)) + "\n\n";
  text += fmt::format("{} ({}) against {} ({}), {} of {}\n", code(result.quantized.path), name(result.quantized_mode),
                      code(result.reference.path), name(result.reference_mode),
                      plural(result.records.last - result.records.first, "record"), code(result.data));
  text += conditions(options) + outputs(result, metrics) + accuracy(result) + worst(result, metrics, sort) + gaps_and_anomalies(result);
  return {{stem(result) + ".md", text}};
}

}  // namespace

std::span<const FormatDef> format_markdown() {
  static const FormatDef def{{"markdown", "summary for a comment on a pull request", false}, write};
  return {&def, 1};
}

}  // namespace visq::report
