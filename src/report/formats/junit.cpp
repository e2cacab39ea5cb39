// junit: JUnit XML for build servers: a test case per output, per condition and feature map, and per operator that could not be run.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "report/format.h"
#include "report/text.h"
#include "report/view.h"

namespace visq::report {
namespace {

/// Text as XML may hold it, in attributes too: one printable line; the two characters that UTF-8 knows but XML does not are replaced.
std::string xml(std::string_view text) {
  std::string out = escape_html(printable(text));
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (auto at = out.find(none); at != std::string::npos; at = out.find(none, at)) out.replace(at, none.size(), "\xEF\xBF\xBD");
  }
  return out;
}

struct Case {
  std::string group, name;
  std::vector<std::string> failures;
  std::string error;   ///< why it could not be done at all
  std::string output;  ///< lines for the reader
};

std::string metric_lines(const CompareResult& result, const MapComparison& map) {
  std::string lines;
  for (std::size_t i = 0; i < map.metrics.size() && i < result.metrics.size(); ++i) {
    lines += fmt::format("{}: {}\n", all_metrics()[static_cast<std::size_t>(result.metrics[i])].name, brief(map.metrics[i]));
  }
  if (map.integer) lines += fmt::format("differing elements: {} %\n", brief(100 * map.differing_share));
  return lines;
}

/// Outputs fail where nothing can be said of them, or where they hold elements that are no numbers.
std::vector<Case> output_cases(const CompareResult& result) {
  std::vector<Case> cases;
  for (const int index : result.outputs) {
    const MapComparison& map = result.maps[static_cast<std::size_t>(index)];
    Case& each = cases.emplace_back(Case{"outputs", map.reference.name, {}, "", metric_lines(result, map)});
    if (!map.not_compared.empty()) each.failures.push_back("not compared: " + map.not_compared);
    for (const auto& [model, statistics] :
         {std::pair{"reference", &map.reference_statistics}, std::pair{"quantized", &map.quantized_statistics}}) {
      if (statistics->non_finite > 0)
        each.failures.push_back(fmt::format("{} not finite in the {} model", plural(statistics->non_finite, "element"), model));
    }
  }
  return cases;
}

/// One case per condition and feature map, in the order given.
std::vector<Case> condition_cases(const CompareResult& result, const ReportOptions& options) {
  std::vector<Case> cases;
  std::map<std::pair<std::string, int>, std::size_t> known;
  for (const ConditionOutcome& outcome : options.outcomes) {
    const auto [place, added] = known.try_emplace({outcome.condition, outcome.map}, cases.size());
    if (added) {
      const MapComparison* map = outcome.map < 0 ? nullptr : &result.maps[static_cast<std::size_t>(outcome.map)];
      cases.push_back({"conditions",
                       map == nullptr ? outcome.condition : outcome.condition + ": " + map->reference.name,
                       {},
                       "",
                       map == nullptr ? "" : metric_lines(result, *map)});
    }
    if (!outcome.failure.empty()) cases[place->second].failures.push_back(outcome.failure);
  }
  return cases;
}

std::vector<Case> gap_cases(const CompareResult& result) {
  std::vector<Case> cases;
  for (const NotComputed& gap : result.not_computed) {
    cases.push_back({"not computed", fmt::format("{}: {} {}", gap.model, place(gap.map), gap.map.op), {}, gap.reason, ""});
  }
  return cases;
}

/// A name for `classname`: suites as a tree, and parts that readers split at dots.
std::string test_case(const Case& each) {
  std::string out = fmt::format("    <testcase classname=\"visqerror.{}\" name=\"{}\"", xml(each.group), xml(each.name));
  if (each.failures.empty() && each.error.empty() && each.output.empty()) return out + "/>\n";
  out += ">\n";
  if (!each.failures.empty()) {
    out += fmt::format("      <failure message=\"{}\" type=\"{}\">", xml(each.failures.front()), xml(each.group));
    for (const std::string& line : each.failures) out += xml(line) + "\n";
    out += "</failure>\n";
  }
  if (!each.error.empty()) out += fmt::format("      <error message=\"{}\" type=\"{}\"/>\n", xml(each.error), xml(each.group));
  if (!each.output.empty()) out += "      <system-out>" + escape_html(each.output) + "</system-out>\n";
  return out + "    </testcase>\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  std::string text() const { return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors); }
};

std::string test_suite(const std::string& name, const std::vector<Case>& cases, Counts& all) {
  Counts own;
  std::string body;
  for (const Case& each : cases) {
    ++own.tests;
    own.failures += each.failures.empty() ? 0 : 1;
    own.errors += each.error.empty() ? 0 : 1;
    body += test_case(each);
  }
  all.tests += own.tests;
  all.failures += own.failures;
  all.errors += own.errors;
  return fmt::format("  <testsuite name=\"{}\" {} skipped=\"0\">\n{}  </testsuite>\n", xml(name), own.text(), body);
}

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  Counts all;
  std::string suites = test_suite("outputs", output_cases(result), all);
  if (!options.outcomes.empty()) suites += test_suite("conditions", condition_cases(result, options), all);
  if (!result.not_computed.empty()) suites += test_suite("not computed", gap_cases(result), all);
  const std::string title =
      options.title.empty() ? fmt::format("compare {} {}", result.reference.path, result.quantized.path) : options.title;
  return {{stem(result) + ".junit.xml",
           fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n", xml(title), all.text(),
                       suites)}};
}

}  // namespace

std::span<const FormatDef> format_junit() {
  static const FormatDef def{{"junit", "JUnit XML for build servers: outputs and conditions as test cases", false}, write};
  return {&def, 1};
}

}  // namespace visq::report
