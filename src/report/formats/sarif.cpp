// sarif: SARIF 2.1.0 for code scanning, a result per finding.
//
// A result's fingerprint is made of what stays from run to run: rule, model, tensor and condition, no numbers. Code hosts know an alert
// again by it; the one that they read has the name that they look for.
//
// A result's place is the model file (physical) and the tensor (logical). Messages follow SARIF's own escapes: braces doubled, brackets
// behind a backslash, since [a](b) would become a link.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "core/as_size.h"
#include "core/file.h"
#include "report/format.h"
#include "report/json/json_text.h"
#include "report/words/text.h"

namespace visq::report::format_sarif {
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

std::string_view level(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

Json location(const ReviewFinding& finding) {
  Json place = {{"physicalLocation", {{"artifactLocation", {{"uri", uri(finding.model)}}}}}};
  if (!finding.place) return place;
  const std::string full = fmt::format("{}/{}", finding.place->subgraph, finding.place->name);
  Json logical = {{"name", json_string(finding.place->name)}, {"fullyQualifiedName", json_string(full)}};
  if (!finding.place->op.empty()) logical["kind"] = json_string(finding.place->op);
  place["logicalLocations"] = Json::array({std::move(logical)});
  return place;
}

Json one_result(const ReviewFinding& finding, std::size_t rule) {
  Json out;
  out["ruleId"] = finding.rule;
  out["ruleIndex"] = rule;
  out["level"] = level(finding.severity);
  out["message"] = {{"text", message_text(finding.text)}};
  out["locations"] = Json::array({location(finding)});
  return out;
}

/// "HASH:N": the Nth result of this kind and place.
class Fingerprints {
 public:
  std::string next(const ReviewFinding& finding) {
    const ReviewPlace place = finding.place.value_or(ReviewPlace{-1, "", ""});
    const std::string model = std::filesystem::path(finding.model).filename();
    std::string key;
    for (const std::string& part : {finding.rule, model, std::to_string(place.subgraph), place.name, finding.subject}) {
      key += fmt::format("{}:{}", part.size(), part);
    }
    constexpr std::size_t kDigits = 16;
    return fmt::format("{}:{}", sha256(std::as_bytes(std::span(key))).substr(0, kDigits), ++seen_[key]);
  }

 private:
  std::map<std::string, int> seen_;
};

std::vector<OutputFile> write(const Review& review) {
  Fingerprints fingerprints;
  std::vector<std::string> ids;
  Json rules = Json::array(), results = Json::array();
  for (const ReviewFinding& finding : review.findings) {
    const auto known = std::find(ids.begin(), ids.end(), finding.rule);
    const auto rule = as_size(known - ids.begin());
    if (known == ids.end()) {
      ids.push_back(finding.rule);
      rules.push_back({{"id", finding.rule},
                       {"shortDescription", {{"text", message_text(finding.help)}}},
                       {"defaultConfiguration", {{"level", level(finding.severity)}}}});
    }
    results.push_back(one_result(finding, rule));
    results.back()["partialFingerprints"] = {{"primaryLocationLineHash", fingerprints.next(finding)}};
  }
  Json run;
  run["tool"] = {{"driver", {{"name", "visqerror"}, {"rules", std::move(rules)}}}};
  run["results"] = std::move(results);
  Json document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"] = Json::array({std::move(run)});
  return {{review.stem + ".sarif", json_text(document)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"sarif", "SARIF 2.1.0 for code scanning", false}, by_review<write>, write};
  return {&def, 1};
}

}  // namespace visq::report::format_sarif
