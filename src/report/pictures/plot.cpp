#include "report/pictures/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/words/text.h"

namespace visq::report {
namespace {

constexpr SvgStyle kGrid{.fill = {}, .stroke = "#e6e6e6"};
constexpr SvgStyle kAxis{.fill = {}, .stroke = "#888888"};
constexpr double kTickSize = 11;
/// Steps of less take too many digits to be written out.
constexpr double kFine = 0.999e-4;
/// Characters of a name on the x axis.
constexpr std::size_t kNameLength = 26;

double round_step(double range, int wanted) {
  const double raw = range / std::max(wanted, 1), power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) return factor * power;
  }
  return 10 * power;
}

/// "1", "1-2e-05".
std::string near_one(double value) { return std::fabs(value - 1) < 1e-15 ? "1" : fmt::format("1{:+.3g}", value - 1); }

/// "100", "10k", "1M".
std::string decade_text(double value) {
  for (const auto& [unit, letter] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (value >= unit) return brief(value / unit) + letter;
  }
  return brief(value);
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int wanted) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(high - low)) return ticks;
  const double step = round_step(high - low, wanted);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push_back(k * step == 0 ? 0 : k * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  if (value == 0) return "0";
  if (step < kFine && std::fabs(value - 1) < 1000 * step) return near_one(value);
  const double largest = std::max(std::fabs(value), step);
  if (largest >= 1e6 || step < kFine) return fmt::format("{:.3g}", value);
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", value, digits);
}

double Plot::y(double value) const {
  double share = 0;
  if (logarithmic_) {
    share = value > y_low_ ? std::log(value / y_low_) / std::log(y_high_ / y_low_) : 0;
  } else {
    share = (value - y_low_) / (y_high_ - y_low_);
  }
  return y_ + height_ - std::clamp(share, 0.0, 1.0) * height_;
}

void Plot::draw_x_axis(std::string_view label) const {
  const auto ticks = round_ticks(x_low_, x_high_, 8);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) {
    svg_.line(x(tick), top(), x(tick), bottom() + 4, kGrid);
    svg_.text(x(tick), bottom() + 21, tick_text(tick, step), {.size = kTickSize, .anchor = SvgAnchor::kMiddle});
  }
  if (!label.empty()) svg_.text(right(), bottom() + 37, label, {.size = kTickSize, .anchor = SvgAnchor::kEnd, .fill = "#666666"});
}

double Plot::names_height(std::span<const std::string> names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, std::min(kNameLength, report::width(printable(name))));
  return 34 + 6.4 * static_cast<double>(longest);
}

void Plot::draw_names(std::span<const std::string> names, std::span<const std::string> whole) const {
  constexpr double kLine = 13;
  const double room = width_ / std::max(1.0, x_high_ - x_low_);
  const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(kLine / room)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (!last && (i % step != 0 || i + step / 2 + 1 > names.size() - 1)) continue;
    const double place = x(static_cast<double>(i));
    svg_.line(place, top(), place, bottom() + 4, kGrid);
    svg_.begin_group(whole[i]);
    svg_.text(place + 4, bottom() + 10, shortened(printable(names[i]), kNameLength),
              {.size = kTickSize, .anchor = SvgAnchor::kEnd, .upright = true});
    svg_.end_group();
  }
}

void Plot::draw_y_axis(std::string_view label) const {
  std::vector<double> ticks;
  if (logarithmic_) {
    for (double decade = std::pow(10, std::ceil(std::log10(y_low_) - 1e-9)); decade <= y_high_; decade *= 10) ticks.push_back(decade);
  } else {
    ticks = round_ticks(y_low_, y_high_, 5);
  }
  const double step = !logarithmic_ && ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double tick : ticks) {
    svg_.line(left() - 4, y(tick), right(), y(tick), kGrid);
    svg_.text(left() - 8, y(tick) + 4, logarithmic_ ? decade_text(tick) : tick_text(tick, step),
              {.size = kTickSize, .anchor = SvgAnchor::kEnd});
  }
  svg_.text(left() - 64, top() + height_ / 2, label, {.size = kTickSize, .anchor = SvgAnchor::kMiddle, .fill = "#666666", .upright = true});
}

void Plot::draw_frame() const {
  svg_.line(left(), bottom(), right(), bottom(), kAxis);
  svg_.line(left(), top(), left(), bottom(), kAxis);
}

void Plot::title(std::string_view text) const { svg_.text(left(), top() - 8, text, {.size = 12, .bold = true}); }

void Legend::box(std::string_view color, std::string_view text) {
  svg_.rect(x_, y_ - 9, 12, 10, {.fill = color, .stroke = {}, .opacity = 0.55});
  label(text, 17);
}

void Legend::stroke(std::string_view color, std::string_view text, std::string_view dashes) {
  svg_.line(x_, y_ - 4, x_ + 18, y_ - 4, {.fill = {}, .stroke = color, .stroke_width = 1.6, .dashes = dashes});
  label(text, 23);
}

void Legend::triangle(std::string_view text) {
  svg_.polygon(Svg::point(x_ + 6, y_ - 10) + Svg::point(x_, y_) + Svg::point(x_ + 12, y_), {.fill = kDark});
  label(text, 17);
}

void Legend::cross(std::string_view color, std::string_view text) {
  draw_cross(svg_, x_ + 6, y_ - 4, 4, color);
  label(text, 17);
}

void Legend::label(std::string_view text, double indent) {
  svg_.text(x_ + indent, y_, text, {.size = 11});
  x_ += indent + 6.2 * static_cast<double>(width(text)) + 18;
}

void draw_cross(Svg& svg, double x, double y, double half, std::string_view color) {
  const SvgStyle style{.fill = {}, .stroke = color, .stroke_width = 1.8};
  svg.line(x - half, y - half, x + half, y + half, style);
  svg.line(x - half, y + half, x + half, y - half, style);
}

}  // namespace visq::report
