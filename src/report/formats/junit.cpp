// junit: JUnit XML for build servers, a test case per check. Valid against the schemas of both Ant's and Jenkins' reports, which is why
// there are a time stamp and durations: they are the same in every run.
#include <fmt/core.h>

#include "report/format.h"
#include "report/words/text.h"

namespace visq::report::format_junit {
namespace {

constexpr std::string_view kNoTime = R"(time="0")", kNoDate = R"(timestamp="1970-01-01T00:00:00" hostname="localhost")";

/// Text as XML may hold it, in attributes too: one printable line; the two characters that UTF-8 knows but XML does not are replaced.
std::string xml(std::string_view text) {
  std::string out = escape_html(printable(text));
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (auto at = out.find(none); at != std::string::npos; at = out.find(none, at)) out.replace(at, none.size(), "\xEF\xBF\xBD");
  }
  return out;
}

/// A name for `classname`: build servers split it at dots and show the parts as a tree.
std::string test_case(const std::string& suite, const ReviewCase& each) {
  std::string out = fmt::format(R"(    <testcase classname="visqerror.{}" name="{}" {})", xml(suite), xml(each.name), kNoTime);
  if (!each.error.empty()) {
    return out + fmt::format(">\n      <error message=\"{}\" type=\"{}\"/>\n    </testcase>\n", xml(each.error), xml(suite));
  }
  if (each.failures.empty()) return out + "/>\n";
  out += fmt::format(">\n      <failure message=\"{}\" type=\"{}\">", xml(each.failures.front()), xml(suite));
  for (const std::string& line : each.failures) out += xml(line) + "\n";
  return out + "</failure>\n    </testcase>\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  std::string text() const { return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="0")", tests, failures, errors); }
};

std::string properties(const Review& review) {
  std::string out = "    <properties>\n";
  for (const auto& [name, value] : review.properties) out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml(value));
  return out + "    </properties>\n";
}

std::string test_suite(const Review& review, std::size_t index) {
  const ReviewSuite& suite = review.suites[index];
  Counts counts;
  std::string cases, output;
  for (const ReviewCase& each : suite.cases) {
    ++counts.tests;
    counts.errors += each.error.empty() ? 0U : 1U;
    counts.failures += each.error.empty() && !each.failures.empty() ? 1U : 0U;
    cases += test_case(suite.name, each);
  }
  for (const std::string& line : suite.output) output += xml(line) + "\n";
  return fmt::format("  <testsuite name=\"{0}\" package=\"{1}\" id=\"{2}\" {3} {4} {5}>\n{6}{7}", xml(suite.name), xml(review.name), index,
                     counts.text(), kNoTime, kNoDate, properties(review), cases) +
         "    <system-out>" + output + "</system-out>\n    <system-err></system-err>\n  </testsuite>\n";
}

std::vector<OutputFile> write(const Review& review) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t i = 0; i < review.suites.size(); ++i) text += test_suite(review, i);
  return {{review.stem + ".junit.xml", text + "</testsuites>\n"}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"junit", "JUnit XML for build servers", false}, by_review<write>, write};
  return {&def, 1};
}

}  // namespace visq::report::format_junit
