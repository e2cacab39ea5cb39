#include "report/review/review_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "report/words/view.h"

namespace visq::report {
namespace {

/// Pale, orange, dark red: three of the nine colours of every other picture.
std::string color_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "#bd0026";
    case Severity::kWarning:
      return "#fd8d3c";
    case Severity::kHint:
      break;
  }
  return "#ffeda0";
}

std::string line_of(const ReviewFinding& finding) {
  return finding.place ? fmt::format("{}: {}", shown_name(*finding.place), finding.text) : finding.text;
}

}  // namespace

std::string stem_of(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  return name.empty() ? "model" : name;
}

std::vector<std::string> viewer_graphs(std::string_view format, const std::vector<std::string>& names, std::size_t at_least) {
  std::vector<std::string> graphs;
  for (std::size_t i = 0; i < std::max(names.size(), at_least); ++i) {
    const bool named = format == "tflite" && i < names.size() && !names[i].empty();
    graphs.push_back(named ? names[i] : i == 0 ? "main" : fmt::format("subgraph_{}", i));
  }
  return graphs;
}

ReviewSuite suite_of_rules(const std::string& title, const std::vector<std::string>& rules, const std::vector<ReviewFinding>& findings,
                           Severity lowest) {
  ReviewSuite suite{title, {}, {}};
  for (const std::string& rule : rules) {
    ReviewCase& each = suite.cases.emplace_back(ReviewCase{rule, {}, ""});
    for (const ReviewFinding& finding : findings) {
      if (finding.rule != rule) continue;
      if (finding.severity >= lowest) {
        each.failures.push_back(line_of(finding));
      } else {
        suite.output.push_back(fmt::format("{} {}: {}", name(finding.severity), rule, line_of(finding)));
      }
    }
  }
  return suite;
}

ReviewSection findings_section(const std::vector<ReviewFinding>& findings) {
  ReviewSection section{"Findings", {{"severity", "kind", "node", "op", "finding"}, {}, 5}, {}, ""};
  for (const ReviewFinding& finding : findings) {
    const ReviewPlace place = finding.place.value_or(ReviewPlace{});
    section.table.rows.push_back({own(std::string(name(finding.severity))), own(finding.rule), foreign(shown_name(place)),
                                  foreign(place.op), foreign(finding.text)});
  }
  if (findings.empty()) section.remark = "None.";
  return section;
}

void WordsOfNodes::add(int subgraph, const std::string& name, const std::string& word, Severity severity) {
  const auto same = [&](const Entry& entry) { return entry.value.subgraph == subgraph && entry.value.name == name; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), same);
  if (found == entries_.end()) {
    entries_.push_back({{subgraph, name, 0, word, ""}, severity});
    return;
  }
  if ((", " + found->value.word + ", ").find(", " + word + ", ") == std::string::npos) found->value.word += ", " + word;
  found->severity = std::max(found->severity, severity);
}

NodeData WordsOfNodes::take(std::string key, std::string label) {
  NodeData data{std::move(key), std::move(label), {}, {}};
  for (Entry& entry : entries_) {
    entry.value.color = color_of(entry.severity);
    data.values.push_back(std::move(entry.value));
  }
  return data;
}

}  // namespace visq::report
