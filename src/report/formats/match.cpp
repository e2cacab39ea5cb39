// match: which tensors were paired and how, which were not and why.
#include <fmt/core.h>

#include "report/format.h"
#include "report/words/match_text.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "report/words/view.h"

namespace visq::report::format_match {
namespace {

/// A likeness or correlation; empty where it was not looked at.
std::string measure(std::optional<double> value) { return value ? fmt::format("{:.3f}", *value) : ""; }

std::string pairs(const CompareResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const MapComparison& map : result.maps) {
    rows.push_back({place(map.reference), printable(map.reference.name), place(map.quantized), printable(map.quantized.name),
                    std::string(name(map.paired_by)), measure(map.weight_likeness), measure(map.map_correlation)});
  }
  if (rows.empty()) return "";
  return "\nPaired\n" + text_table({{"index"}, {"reference"}, {"index"}, {"quantized"}, {"by"}, {"weights", true}, {"values", true}}, rows);
}

std::string doubtful(const CompareResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const DoubtfulPair& each : result.match.doubtful) {
    rows.push_back({place(each.reference), printable(each.reference.name), place(each.quantized), printable(each.quantized.name),
                    measure(each.correlation)});
  }
  if (rows.empty()) return "";
  return "\nDoubtful: compared with nothing; --pair A=B says what belongs together\n" +
         text_table({{"index"}, {"reference"}, {"index"}, {"quantized"}, {"values", true}}, rows);
}

std::string unpaired(const CompareResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Unpaired& each : result.match.unpaired) {
    rows.push_back({each.in_reference ? "reference" : "quantized", place(each.map), printable(each.map.name), printable(each.map.op),
                    printable(each.reason)});
  }
  if (rows.empty()) return "";
  return "\nUnpaired\n" + text_table({{"model"}, {"index"}, {"name"}, {"op"}, {"reason"}}, rows);
}

std::string surplus(const CompareResult& result) {
  std::string text;
  for (const SurplusRuns& each : result.match.surplus) {
    text += fmt::format("subgraph {} of the {} ran {} time{} more than its counterpart\n", each.subgraph,
                        each.in_reference ? "reference" : "quantized model", each.runs, each.runs == 1 ? "" : "s");
  }
  return text;
}

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions&, const std::string&) {
  std::string text = "Tensors paired " + how_paired(result.match) + "\n";
  for (const std::string& warning : result.match.warnings) text += "warning: " + printable(warning) + "\n";
  text += surplus(result);
  return {{"match.txt", text + pairs(result) + doubtful(result) + unpaired(result)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"match", "which tensors were paired, how, and why others were not", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_match
