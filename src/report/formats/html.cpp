// html: the comparison as one page, as `report --quick` makes it.
#include "report/format.h"
#include "visq/full_report.h"

namespace visq::report::format_html {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string&) {
  FullReport report;
  report.title = options.title;
  report.version = VISQ_VERSION;
  report.colors = options.colors;
  report.comparison = result;
  return {{"report.html", html_page(report)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"html", "graph, tables and pairing in one page for a browser", false}, write, nullptr, can_make_pages};
  return {&def, 1};
}

}  // namespace visq::report::format_html
