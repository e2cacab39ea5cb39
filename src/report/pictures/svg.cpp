#include "report/pictures/svg.h"

#include <fmt/core.h>

#include "core/as_size.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

/// At most two digits behind the point: a hundredth of a pixel.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes(const SvgStyle& style) {
  std::string text = fmt::format(" fill=\"{}\"", style.fill.empty() ? "none" : style.fill);
  if (!style.stroke.empty()) text += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", style.stroke, number(style.stroke_width));
  if (!style.dashes.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
  if (style.opacity < 1) text += fmt::format(" opacity=\"{}\"", number(style.opacity));
  return text;
}

std::string escaped(std::string_view text) { return escape_html(printable(text)); }

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::rect(double x, double y, double width, double height, const SvgStyle& style) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", number(x), number(y), number(width), number(height),
                       attributes(style));
}

void Svg::line(double x1, double y1, double x2, double y2, const SvgStyle& style) {
  body_ +=
      fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", number(x1), number(y1), number(x2), number(y2), attributes(style));
}

void Svg::circle(double x, double y, double radius, const SvgStyle& style) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(x), number(y), number(radius), attributes(style));
}

void Svg::polyline(const std::string& points, const SvgStyle& style) {
  body_ += fmt::format("<polyline points=\"{}\"{}/>\n", points, attributes(style));
}

void Svg::polygon(const std::string& points, const SvgStyle& style) {
  body_ += fmt::format("<polygon points=\"{}\"{}/>\n", points, attributes(style));
}

void Svg::text(double x, double y, std::string_view text, const SvgText& style) {
  static constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  const std::string turn = style.upright ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(x), number(y)) : "";
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n", number(x), number(y),
                       number(style.size), style.fill, kAnchors[as_size(style.anchor)], style.bold ? " font-weight=\"bold\"" : "", turn,
                       escaped(text));
}

void Svg::begin_group(std::string_view tooltip) { body_ += fmt::format("<g><title>{}</title>\n", escaped(tooltip)); }

void Svg::end_group() { body_ += "</g>\n"; }

std::string Svg::point(double x, double y) { return number(x) + "," + number(y) + " "; }

std::string Svg::document() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, "
      "sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      number(width_), number(height_), body_);
}

}  // namespace visq::report
