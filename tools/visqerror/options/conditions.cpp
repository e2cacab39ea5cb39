#include "visqerror/options/conditions.h"

#include <algorithm>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/node_filter.h"
#include "core/as_size.h"
#include "core/error.h"
#include "report/words/view.h"
#include "visqerror/options/values.h"

namespace visq::tool {
namespace {

/// A map's index, and the comparison of it that counts.
using IndexedMap = std::pair<int, const MapComparison*>;

/// The maps that the condition is about.
std::vector<IndexedMap> maps_of(const Condition& condition, const CompareResult& result) {
  std::vector<IndexedMap> maps;
  if (condition.scope == Condition::Scope::kOutputs) {
    for (std::size_t i = 0; i < result.outputs.size(); ++i) maps.emplace_back(result.outputs[i], &compared_output(result, i));
    return maps;
  }
  const bool any = condition.scope == Condition::Scope::kAny;
  analysis::NodeFilter filter(any ? std::vector<std::string>{} : std::vector{condition.pattern}, {});
  for (const MapComparison& map : result.maps) {
    for (const auto known : analysis::all_names(map.reference, map.quantized)) filter.learn_name(known);
  }
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const MapComparison& map = result.maps[i];
    if (filter.passes(analysis::all_names(map.reference, map.quantized), map.reference.op)) maps.emplace_back(static_cast<int>(i), &map);
  }
  return maps;
}

bool holds(const Condition& condition, const MetricValue& value) {
  switch (value.state) {
    case MetricValue::State::kInfinite:
      return condition.at_least;
    case MetricValue::State::kUndefined:
      return false;
    case MetricValue::State::kFinite:
      break;
  }
  return condition.at_least ? value.value >= condition.limit : value.value <= condition.limit;
}

constexpr std::string_view kAccuracyDrop = "accuracy_drop";

ConditionOutcome accuracy_outcome(const Condition& condition, const CompareResult& result) {
  if (!result.accuracy) return {condition.text, -1, condition.text + " does not hold: without --labels or --eval there is no accuracy"};
  const double drop = result.accuracy->drop();
  const bool holds = condition.at_least ? drop >= condition.limit : drop <= condition.limit;
  if (holds) return {condition.text, -1, ""};
  const std::string_view what = !result.accuracy->program.empty() ? "accuracy"
                                : result.accuracy->by_class()     ? "top-1 accuracy"
                                                                  : score_info(result.accuracy->score).title;
  return {condition.text, -1, fmt::format("{} does not hold: {} drops by {:.6g} percentage points", condition.text, what, drop)};
}

}  // namespace

std::string describe(const MetricValue& value) {
  switch (value.state) {
    case MetricValue::State::kInfinite:
      return "infinite";
    case MetricValue::State::kUndefined:
      return "undefined";
    case MetricValue::State::kFinite:
      break;
  }
  return fmt::format("{:.6g}", value.value);
}

Result<Condition> parse_condition(const std::string& option, const std::string& text) {
  Condition condition;
  condition.text = option + " " + text;
  condition.at_least = option == "--min";
  const auto equals = text.rfind('=');
  if (equals == std::string::npos) return usage_error("{}: '{}' is not METRIC=VALUE", option, text);
  VISQ_ASSIGN(condition.limit, parse_number(option, text.substr(equals + 1)));
  std::string metric = text.substr(0, equals);
  if (metric.starts_with("any:")) {
    condition.scope = Condition::Scope::kAny;
    metric.erase(0, 4);
  } else if (metric.starts_with("node:")) {
    condition.scope = Condition::Scope::kNodes;
    const auto colon = metric.rfind(':');
    if (colon < 6) return usage_error("{}: '{}' is not node:NAME:METRIC=VALUE", option, text);
    condition.pattern = metric.substr(5, colon - 5);
    metric.erase(0, colon + 1);
  }
  if (metric == kAccuracyDrop && condition.scope == Condition::Scope::kOutputs) {
    condition.scope = Condition::Scope::kAccuracyDrop;
    return condition;
  }
  VISQ_ASSIGN(condition.metric, parse_metric(option, metric));
  return condition;
}

std::vector<ConditionOutcome> evaluate(const Condition& condition, const CompareResult& result) {
  if (condition.scope == Condition::Scope::kAccuracyDrop) return {accuracy_outcome(condition, result)};
  const auto column = std::find(result.metrics.begin(), result.metrics.end(), condition.metric) - result.metrics.begin();
  std::vector<ConditionOutcome> outcomes;
  for (const auto& [index, map] : maps_of(condition, result)) {
    if (map->integer) continue;
    outcomes.push_back({condition.text, index, ""});
    ConditionOutcome& outcome = outcomes.back();
    const bool compared = map->not_compared.empty() && as_size(column) < map->metrics.size();
    const MetricValue value = compared ? map->metrics[as_size(column)] : MetricValue{};
    if (holds(condition, value)) continue;
    const std::string_view metric = metric_info(condition.metric).name;
    outcome.failure =
        fmt::format("{} does not hold: {} of {} is {}", condition.text, metric, report::shown_name(map->reference), describe(value));
  }
  if (outcomes.empty()) {
    outcomes.push_back({condition.text, -1, fmt::format("{} does not hold: no compared feature map to look at", condition.text)});
  }
  return outcomes;
}

}  // namespace visq::tool
