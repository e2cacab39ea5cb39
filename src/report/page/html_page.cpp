// The page of `report`: a template with style, script and data put into it.
#include "report/page/html_data.h"
#include "report/page/page_library.h"

namespace visq {
namespace report {

std::string_view page_html();  // the files in html/, embedded when the program is built
std::string_view page_css();
std::string_view basis_js();
std::string_view graph_js();
std::string_view panel_js();
std::string_view tables_js();
std::string_view charts_js();
std::string_view layout_js();
std::string_view minimap_js();
std::string_view views_js();
std::string_view depth_js();
std::string_view glance_js();
std::string_view sections_js();
std::string_view recipes_js();
std::string_view exports_js();
std::string_view start_js();

namespace {

/// JSON that neither ends the element it stands in nor opens another: in JSON "<" occurs in strings only, where an escape means the same.
std::string embeddable(const Json& document) {
  const std::string text = json_text(document, -1);
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    if (letter == '<') {
      out += "\\u003c";
    } else {
      out += letter;
    }
  }
  return out;
}

/// The template up to a mark; what is left of the template begins behind it.
std::string_view take_until(std::string_view& page, std::string_view mark) {
  const std::size_t at = page.find(mark);
  const std::string_view head = page.substr(0, at);
  page.remove_prefix(at == std::string_view::npos ? page.size() : at + mark.size());
  return head;
}

}  // namespace
}  // namespace report

Status can_make_pages() { return report::page_library_there(); }

std::string html_page(const FullReport& report) { return html_page(std::span(&report, 1)); }

std::string html_page(std::span<const FullReport> reports) {
  report::Json data = report::html_data(reports.front());
  if (reports.size() > 1) data = report::Json::array({std::move(data)});
  for (const FullReport& each : reports.subspan(1)) data.push_back(report::html_data(each));
  std::string_view page = report::page_html();
  std::string out;
  out += report::take_until(page, "{{css}}");
  out += report::page_css();
  out += report::take_until(page, "{{data}}");
  out += report::embeddable(data);
  out += report::take_until(page, "{{library}}");
  out += report::page_library();
  out += report::take_until(page, "{{js}}");
  for (const auto part : {report::basis_js, report::tables_js, report::charts_js, report::layout_js, report::graph_js, report::minimap_js,
                          report::views_js, report::panel_js, report::depth_js, report::glance_js, report::sections_js, report::recipes_js,
                          report::exports_js, report::start_js}) {
    out += part();
  }
  out += page;
  return out;
}

}  // namespace visq
