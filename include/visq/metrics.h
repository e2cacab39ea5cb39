// Values of metrics, as results hold them.
#pragma once

#include <cstdint>
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

/// What users and output formats need to know of a metric.
struct MetricInfo {
  std::string_view name;   ///< "mse": on the command line, in JSON and file names
  std::string_view label;  ///< "MSE": in legends, tables and visq.json
  Direction better = Direction::kLowerIsBetter;
  std::string_view formula;  ///< one line of text
};

/// All metrics in a fixed order, that of columns, files and legends: mse, mpeir, tae, srmse, cosine, sqnr, psnr, l1, mre, atol,
/// max_qscale_diff.
const std::vector<MetricInfo>& all_metrics();
/// Index of a metric in all_metrics() by name, case-insensitive, "chebyshev" meaning atol; -1 where there is none.
int metric_index(std::string_view name);
/// True where `a` is worse than `b`; undefined is neither worse nor better, infinite (no error) is the best.
bool worse(const MetricInfo& metric, const MetricValue& a, const MetricValue& b);

}  // namespace visq
