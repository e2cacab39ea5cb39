#include "visqerror/sessions/baseline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "core/suggest.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/result_file.h"
#include "visqerror/options/conditions.h"
#include "visqerror/options/values.h"

namespace visq::tool {
namespace {

/// Worse metrics of a map.
using WorseMetrics = std::vector<const Difference*>;
/// By subgraph and name; an output is a node too and counts once.
using WorseMaps = std::map<std::pair<int, std::string>, WorseMetrics>;

WorseMaps worse_maps(const DiffResult& changes, bool outputs_only) {
  WorseMaps maps;
  for (const Difference& each : changes.differences) {
    if (each.change != Change::kWorse || (outputs_only && !each.output)) continue;
    WorseMetrics& metrics = maps[{each.map.subgraph, each.map.name}];
    const bool known = std::ranges::any_of(metrics, [&](const Difference* other) { return other->metric == each.metric; });
    if (!known) metrics.push_back(&each);
  }
  return maps;
}

/// The one to name first. Metrics that are gone have got worse most.
const Difference& leading(const WorseMetrics& metrics) {
  const auto weight = [](const Difference* each) {
    if (diff_metrics()[as_size(each->metric)].name == "sqnr") return std::numeric_limits<double>::infinity();
    return std::isnan(each->relative) ? std::numeric_limits<double>::max() : each->relative;
  };
  return **std::ranges::max_element(metrics, {}, weight);
}

std::string line(const std::string& condition, const WorseMetrics& metrics, const Tolerance& tolerance) {
  const Difference& first = leading(metrics);
  const MetricInfo& metric = diff_metrics()[as_size(first.metric)];
  std::string text =
      fmt::format("{} does not hold: {} of {} was {}, is {} (at {}: {:.6g})", condition, metric.name, report::shown_name(first.map),
                  describe(first.before), describe(first.after), metric.better == Direction::kLowerIsBetter ? "most" : "least",
                  worst_allowed(metric, first.before, tolerance.of(first.metric)));
  std::string_view before_name = "; worse too: ";
  for (const Difference* other : metrics) {
    if (other == &first) continue;
    text += fmt::format("{}{}", before_name, diff_metrics()[as_size(other->metric)].name);
    before_name = ", ";
  }
  return text;
}

constexpr std::string_view kDecibels = "dB";

/// "5%", "0.05", and where `absolute`, "0.5" and "0.5dB": those are in the metric's own unit.
Result<Allowance> parse_allowance(const std::string& text, bool absolute) {
  const bool percent = text.ends_with('%'), decibels = text.ends_with(kDecibels);
  const std::size_t unit = percent ? 1 : decibels ? kDecibels.size() : 0;
  VISQ_ASSIGN(const double value, parse_number("--tolerance", text.substr(0, text.size() - unit)));
  if (value < 0) return usage_error("--tolerance: '{}' is negative", text);
  return Allowance{percent ? value / 100 : value, decibels || (absolute && !percent)};
}

Status add_tolerance(const std::string& text, Tolerance& tolerance) {
  const auto equals = text.find('=');
  const std::string amount = equals == std::string::npos ? text : text.substr(equals + 1), name = text.substr(0, equals);
  const bool decibels = amount.ends_with(kDecibels), of_metric = equals != std::string::npos;
  VISQ_ASSIGN(const Allowance allowance, parse_allowance(amount, of_metric));
  if (!of_metric && !decibels) {
    tolerance.share = allowance.amount;
    return {};
  }
  bool known = false;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < diff_metrics().size(); ++i) {
    const MetricInfo& metric = diff_metrics()[i];
    const bool in_decibels = metric.unit == MetricUnit::kDecibels;
    names.push_back(metric.name);
    if (of_metric ? metric.name != name : !in_decibels) continue;
    if (decibels && !in_decibels) return usage_error("--tolerance: '{}': {} is not in dB", text, metric.name);
    known = true;
    if (of_metric || !tolerance.own.contains(static_cast<int>(i))) tolerance.own[static_cast<int>(i)] = allowance;
  }
  if (!known) return usage_error("--tolerance: unknown metric '{}'{}", name, suggestion(name, names));
  return {};
}

}  // namespace

Result<Tolerance> parse_tolerance(const std::vector<std::string>& texts) {
  Tolerance tolerance;
  std::vector<std::string> general;  // a metric's own allowance counts, wherever it stands
  for (const std::string& text : texts) {
    if (text.find('=') == std::string::npos) {
      general.push_back(text);
    } else {
      VISQ_TRY(add_tolerance(text, tolerance));
    }
  }
  for (const std::string& text : general) VISQ_TRY(add_tolerance(text, tolerance));
  return tolerance;
}

std::vector<ConditionOutcome> evaluate(const Baseline& baseline, const CompareResult& result, const Console& console) {
  const std::string condition = "--baseline " + baseline.result.path;
  const DiffResult changes = diff(baseline.result, report::stored_as_written(result), baseline.tolerance);
  if (changes.outputs + (baseline.outputs_only ? 0 : changes.nodes) == 0)
    return {{condition, -1, condition + " does not hold: it has no feature map of this comparison"}};
  if (!same_records(changes.before, changes.after)) {
    console.warn(fmt::format("{}: its records are not those of this comparison ({} {}:{})", baseline.result.path, changes.before.data,
                             changes.before.records.first, changes.before.records.last));
  }
  if (!changes.only_before.empty() && !baseline.outputs_only) {
    console.warn(fmt::format("{}: {} of the baseline not in this comparison, such as {}", baseline.result.path,
                             report::plural(static_cast<std::int64_t>(changes.only_before.size()), "node"), changes.only_before.front()));
  }
  WorseMaps worse = worse_maps(changes, baseline.outputs_only);
  std::vector<ConditionOutcome> outcomes;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    if (baseline.outputs_only && std::ranges::find(result.outputs, static_cast<int>(i)) == result.outputs.end()) continue;
    const MapIdentity& map = result.maps[i].reference;
    const auto own = worse.extract({map.subgraph, report::valid_utf8(map.name)});
    outcomes.push_back({condition, static_cast<int>(i), own.empty() ? "" : line(condition, own.mapped(), baseline.tolerance)});
  }
  for (const auto& [map, metrics] : worse)
    outcomes.push_back({condition, -1, line(condition, metrics, baseline.tolerance)});  // the accuracy
  return outcomes;
}

}  // namespace visq::tool
