// Small SVG pictures: shapes and text, everything escaped.
#pragma once

#include <string>
#include <string_view>

namespace visq::report {

/// How a shape is drawn. Empty: not filled, no stroke.
struct SvgStyle {
  std::string_view fill = {}, stroke = {};
  double stroke_width = 1, opacity = 1;
  std::string_view dashes = {};
};

enum class SvgAnchor : std::uint8_t { kStart, kMiddle, kEnd };

struct SvgText {
  double size = 12;
  SvgAnchor anchor = SvgAnchor::kStart;
  std::string_view fill = "#333333";
  bool bold = false, upright = false;  ///< upright: turned by a quarter, read from below
};

class Svg {
 public:
  Svg(double width, double height);

  void rect(double x, double y, double width, double height, const SvgStyle& style);
  void line(double x1, double y1, double x2, double y2, const SvgStyle& style);
  void circle(double x, double y, double radius, const SvgStyle& style);
  /// Points as "x,y x,y …", made with point().
  void polyline(const std::string& points, const SvgStyle& style);
  void polygon(const std::string& points, const SvgStyle& style);
  void text(double x, double y, std::string_view text, const SvgText& style);
  /// What is drawn until end_group() shows this text when pointed at.
  void begin_group(std::string_view tooltip);
  void end_group();

  static std::string point(double x, double y);
  /// The whole document.
  std::string document() const;

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace visq::report
