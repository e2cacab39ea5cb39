// Values of metrics, as results hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace visq {

/// The value of one metric for one feature map.
struct MetricValue {
  enum class State : std::uint8_t {
    kFinite,     ///< value is a number
    kInfinite,   ///< no error at all where a ratio has no finite value (SQNR, PSNR); passes every --min
    kUndefined,  ///< not defined here: no scale, no elements, a non-finite element, or a zero reference; fails every condition
  };
  State state = State::kUndefined;
  double value = 0;
  std::int64_t record = -1;  ///< for maxima over all records (ATOL, max_qscale_diff): the record that holds it, else -1
};

enum class Direction : std::uint8_t { kLowerIsBetter, kHigherIsBetter };

/// What a metric's numbers are.
enum class MetricUnit : std::uint8_t {
  kValue,     ///< as the map's own values
  kSquare,    ///< those squared
  kRatio,     ///< a part of something, or (higher is better) a likeness up to 1
  kDecibels,  ///< no error at all is infinitely many
  kSteps,     ///< of the quantized map's scale; none where that is float
  kNats,      ///< information: natural logarithms of probabilities
};

/// How a metric is shown.
struct MetricLook {
  int table = 0;                  ///< place in the table of layers: below 10 before the statistics, from 10 on behind them; 0: not there
  std::string_view heading = {};  ///< in that table; empty: the label
  int terminal = 0;               ///< place in the terminal's tables; 0: there only where it is asked for
  int gives_way = 10;             ///< where a terminal has no room for all columns, those with the largest number go first
  double color_span = 0;          ///< colours reach from 0 to this at least; 0: from the least value to the largest
  std::span<const double> color_steps = {};  ///< the eight borders between the nine colours, ascending; empty: from the values
};

/// What users and output formats need to know of a metric.
struct MetricInfo {
  std::string_view name;   ///< "mse": on the command line, in JSON and file names
  std::string_view label;  ///< "MSE": in legends, tables and visq.json
  Direction better = Direction::kLowerIsBetter;
  std::string_view formula;  ///< one line of text
  MetricUnit unit = MetricUnit::kValue;
  MetricLook look = {};
  bool outputs_only = false;  ///< undefined for every map that is no output of its model: JSON does not mention it there

  /// True where the best value is 1: cosine.
  bool likeness() const { return unit == MetricUnit::kRatio && better == Direction::kHigherIsBetter; }
  /// True where a value says that there is no error. `value`: finite.
  bool perfect(double value) const { return better == Direction::kLowerIsBetter ? value == 0 : likeness() && value >= 1; }
};

/// All metrics in a fixed order, that of columns, files and legends: mse, mpeir, tae, srmse, cosine, sqnr, psnr, l1, mre, atol,
/// max_qscale_diff, kl.
const std::vector<MetricInfo>& all_metrics();

/// One of them.
enum class Metric : int { kNone = -1 };

/// By name, case-insensitive, "chebyshev" meaning atol; kNone where there is none.
Metric metric_named(std::string_view name);
/// All, in the order of all_metrics().
std::vector<Metric> every_metric();
/// Place in all_metrics(). `metric`: not kNone.
inline std::size_t metric_place(Metric metric) { return static_cast<std::size_t>(metric); }
inline const MetricInfo& metric_info(Metric metric) { return all_metrics()[metric_place(metric)]; }

/// True where `a` is worse than `b`; undefined is neither worse nor better, infinite (no error) is the best.
bool worse(const MetricInfo& metric, const MetricValue& a, const MetricValue& b);

}  // namespace visq
