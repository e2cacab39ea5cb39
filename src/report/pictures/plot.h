// Axes and legend of a plot: from values to places in a picture, with ticks at round numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/pictures/svg.h"

namespace visq::report {

/// About `wanted` round numbers (1, 2 or 5 times a power of ten apart) that lie in [low, high].
std::vector<double> round_ticks(double low, double high, int wanted);

/// Text of ticks: as many digits as tell them apart, "1e+06" where that is shorter, "1-2e-05" for values next to 1.
std::string tick_text(double value, double step);

/// A rectangle of the picture that shows x from left to right and y from bottom to top.
class Plot {
 public:
  Plot(Svg& svg, double x, double y, double width, double height) : svg_(svg), x_(x), y_(y), width_(width), height_(height) {}

  void x_range(double low, double high) { x_low_ = low, x_high_ = high; }
  /// `logarithmic`: decades from `low`, which is above zero; smaller values lie at the bottom.
  void y_range(double low, double high, bool logarithmic = false) { y_low_ = low, y_high_ = high, logarithmic_ = logarithmic; }

  double x(double value) const { return x_ + (value - x_low_) / (x_high_ - x_low_) * width_; }
  double y(double value) const;
  double left() const { return x_; }
  double right() const { return x_ + width_; }
  double top() const { return y_; }
  double bottom() const { return y_ + height_; }

  /// Grid lines, ticks and labels.
  void draw_x_axis(std::string_view label) const;
  /// The same with names at 0, 1, 2 …, upright, as many as do not overlap; the last one always. `whole`: those under the pointer.
  void draw_names(std::span<const std::string> names, std::span<const std::string> whole) const;
  /// The room that these take below the plot.
  static double names_height(std::span<const std::string> names);
  void draw_y_axis(std::string_view label) const;
  /// The line below and the line on the left; drawn last, above what is plotted.
  void draw_frame() const;
  void title(std::string_view text) const;

 private:
  Svg& svg_;
  double x_, y_, width_, height_;
  double x_low_ = 0, x_high_ = 1, y_low_ = 0, y_high_ = 1;
  bool logarithmic_ = false;
};

/// What colours and marks mean: entries from left to right.
class Legend {
 public:
  static constexpr std::string_view kDark = "#333333";

  Legend(Svg& svg, double x, double y) : svg_(svg), x_(x), y_(y) {}
  void box(std::string_view color, std::string_view text);
  void stroke(std::string_view color, std::string_view text, std::string_view dashes = {});
  void triangle(std::string_view text);
  void cross(std::string_view color, std::string_view text);

 private:
  void label(std::string_view text, double indent);
  Svg& svg_;
  double x_, y_;
};

/// A cross of two strokes.
void draw_cross(Svg& svg, double x, double y, double half, std::string_view color);

}  // namespace visq::report
