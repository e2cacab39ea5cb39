#include "visqerror/sessions/baseline.h"

#include <map>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/result_file.h"
#include "visqerror/options/conditions.h"
#include "visqerror/options/values.h"

namespace visq::tool {
namespace {

std::string line(const std::string& condition, const Difference& difference, double tolerance) {
  const MetricInfo& metric = diff_metrics()[as_size(difference.metric)];
  return fmt::format("{} does not hold: {} of {} was {}, is {} (at {}: {:.6g})", condition, metric.name, difference.map.name,
                     describe(difference.before), describe(difference.after), metric.better == Direction::kLowerIsBetter ? "most" : "least",
                     worst_allowed(metric, difference.before, tolerance));
}

/// Worse metrics of every map, by subgraph and name; an output is a node too and counts once.
using Failures = std::map<std::pair<int, std::string>, std::map<int, std::string>>;

Failures failures(const std::string& condition, const DiffResult& changes) {
  Failures lines;
  for (const Difference& each : changes.differences) {
    if (each.change == Change::kWorse)
      lines[{each.map.subgraph, each.map.name}].try_emplace(each.metric, line(condition, each, changes.tolerance));
  }
  return lines;
}

}  // namespace

Result<double> parse_tolerance(const std::string& text) {
  if (text.empty()) return 0.0;
  const bool percent = text.ends_with('%');
  VISQ_ASSIGN(const double value, parse_number("--tolerance", percent ? text.substr(0, text.size() - 1) : text));
  if (value < 0) return usage_error("--tolerance: '{}' is negative", text);
  return percent ? value / 100 : value;
}

std::vector<ConditionOutcome> evaluate(const Baseline& baseline, const CompareResult& result, const Console& console) {
  const std::string condition = "--baseline " + baseline.result.path;
  const DiffResult changes = diff(baseline.result, report::stored_as_written(result), baseline.tolerance);
  if (changes.nodes + changes.outputs == 0)
    return {{condition, -1, condition + " does not hold: it has no feature map of this comparison"}};
  if (!same_records(changes.before, changes.after)) {
    console.warn(fmt::format("{}: its records are not those of this comparison ({} {}:{})", baseline.result.path, changes.before.data,
                             changes.before.records.first, changes.before.records.last));
  }
  if (!changes.only_before.empty()) {
    console.warn(fmt::format("{}: {} of the baseline not in this comparison, such as {}", baseline.result.path,
                             report::plural(static_cast<std::int64_t>(changes.only_before.size()), "node"), changes.only_before.front()));
  }
  Failures lines = failures(condition, changes);
  std::vector<ConditionOutcome> outcomes;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const MapIdentity& map = result.maps[i].reference;
    const auto own = lines.extract({map.subgraph, report::valid_utf8(map.name)});
    if (own.empty()) outcomes.push_back({condition, static_cast<int>(i), ""});
    for (const auto& entry : own.empty() ? std::map<int, std::string>{} : own.mapped()) {
      outcomes.push_back({condition, static_cast<int>(i), entry.second});
    }
  }
  for (const auto& [map, own] : lines) {  // the accuracy
    for (const auto& entry : own) outcomes.push_back({condition, -1, entry.second});
  }
  return outcomes;
}

}  // namespace visq::tool
