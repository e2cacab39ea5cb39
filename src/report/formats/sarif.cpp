// sarif: SARIF 2.1.0 for code scanning: conditions that do not hold, operators that could not be run, anomalies.
//
// A result's place is the model file (physical) and the tensor (logical). Messages follow SARIF's own escapes: braces doubled, brackets
// behind a backslash, since [a](b) would become a link.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/format.h"
#include "report/json_text.h"
#include "report/text.h"
#include "report/view.h"

namespace visq::report {
namespace {

std::string message_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '{' || c == '}') out += c;
    if (c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

/// A path as a relative (or absolute-path) URI reference.
std::string uri(const std::string& path) {
  std::string out;
  for (const char c : std::filesystem::path(path).generic_string()) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += letter || std::string_view("-._~/").find(c) != std::string_view::npos ? std::string(1, c)
                                                                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

struct Finding {
  std::string rule, level, text, model;
  const MapIdentity* map = nullptr;  ///< null: the model as a whole
};

/// "range too large" → "range-too-large".
std::string rule_id(std::string_view kind) {
  std::string id;
  for (const char c : kind) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    id += plain ? c : '-';
  }
  return id;
}

std::vector<Finding> findings(const CompareResult& result, const ReportOptions& options) {
  std::vector<Finding> all;
  for (const ConditionOutcome& outcome : options.outcomes) {
    if (outcome.failure.empty()) continue;
    const MapIdentity* map = outcome.map < 0 ? nullptr : &result.maps[static_cast<std::size_t>(outcome.map)].reference;
    all.push_back({"condition", "error", outcome.failure, result.quantized.path, map});
  }
  for (const NotComputed& gap : result.not_computed) {
    all.push_back({"not-computed", "error", fmt::format("{} {}: {}", place(gap.map), gap.map.op, gap.reason), gap.model, &gap.map});
  }
  for (const Anomaly& anomaly : result.anomalies) {
    const bool remark = anomaly.kind == "low-precision output";
    all.push_back({rule_id(anomaly.kind), remark ? "note" : "warning",
                   fmt::format("{}: {}, {} (limit {})", anomaly.map.name, anomaly.kind, brief(anomaly.value), brief(anomaly.limit)),
                   result.quantized.path, &anomaly.map});
  }
  return all;
}

Json location(const Finding& finding) {
  Json place = {{"physicalLocation", {{"artifactLocation", {{"uri", uri(finding.model)}}}}}};
  if (finding.map == nullptr) return place;
  const std::string full = fmt::format("{}/{}", finding.map->subgraph, finding.map->name);
  place["logicalLocations"] = Json::array(
      {{{"name", json_string(finding.map->name)}, {"fullyQualifiedName", json_string(full)}, {"kind", json_string(finding.map->op)}}});
  return place;
}

Json one_result(const Finding& finding, std::size_t rule) {
  Json out;
  out["ruleId"] = finding.rule;
  out["ruleIndex"] = rule;
  out["level"] = finding.level;
  out["message"] = {{"text", message_text(finding.text)}};
  out["locations"] = Json::array({location(finding)});
  return out;
}

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  std::vector<std::string> ids;
  Json rules = Json::array(), results = Json::array();
  for (const Finding& finding : findings(result, options)) {
    const auto known = std::find(ids.begin(), ids.end(), finding.rule);
    const auto rule = static_cast<std::size_t>(known - ids.begin());
    if (known == ids.end()) {
      ids.push_back(finding.rule);
      rules.push_back({{"id", finding.rule}, {"defaultConfiguration", {{"level", finding.level}}}});
    }
    results.push_back(one_result(finding, rule));
  }
  Json run;
  run["tool"] = {{"driver", {{"name", "visqerror"}, {"rules", std::move(rules)}}}};
  run["invocations"] = Json::array({{{"executionSuccessful", !result.interrupted}}});
  run["results"] = std::move(results);
  Json document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"] = Json::array({std::move(run)});
  return {{stem(result) + ".sarif", json_text(document)}};
}

}  // namespace

std::span<const FormatDef> format_sarif() {
  static const FormatDef def{{"sarif", "SARIF for code scanning: anomalies and conditions that do not hold", false}, write};
  return {&def, 1};
}

}  // namespace visq::report
