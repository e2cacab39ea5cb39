// Axes of a plot: from values to places in a picture, with ticks at round numbers.
#pragma once

#include <string>
#include <vector>

#include "report/svg.h"

namespace visq::report {

/// About `wanted` round numbers (1, 2 or 5 times a power of ten apart) that lie in [low, high].
std::vector<double> round_ticks(double low, double high, int wanted);

/// Text of ticks: as many digits as tell them apart, "1e+06" where that is shorter.
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

}  // namespace visq::report
