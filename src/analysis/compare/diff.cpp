#include "visq/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/as_size.h"

namespace visq {
namespace {

constexpr double kNoError = 1e-12;
constexpr double kNoErrorDb = 120;  ///< kNoError as noise-to-signal ratio of powers

/// Maps by subgraph and name, handed out one after the other.
class Partners {
 public:
  explicit Partners(const std::vector<StoredMap>& maps) {
    for (const StoredMap& map : maps) queues_[{map.subgraph, map.name}].maps.push_back(&map);
  }
  const StoredMap* take(const StoredMap& wanted) {
    const auto found = queues_.find({wanted.subgraph, wanted.name});
    if (found == queues_.end() || found->second.next == found->second.maps.size()) return nullptr;
    return found->second.maps[found->second.next++];
  }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& [key, queue] : queues_) names.insert(names.end(), queue.maps.size() - queue.next, key.second);
    return names;
  }

 private:
  struct Queue {
    std::vector<const StoredMap*> maps;
    std::size_t next = 0;
  };
  std::map<std::pair<int, std::string>, Queue> queues_;
};

/// How much worse `after` is, in the metric's own unit; positive: worse.
double worsening(const MetricInfo& metric, double before, double after) {
  return metric.better == Direction::kLowerIsBetter ? after - before : before - after;
}

/// By how much a finite value may change.
double slack(const MetricValue& before, const Allowance& allowance) {
  return allowance.absolute ? allowance.amount : allowance.amount * std::fabs(before.value);
}

Change judge(const MetricInfo& metric, const MetricValue& before, const MetricValue& after, const Allowance& allowance) {
  using State = MetricValue::State;
  if (before.state == State::kUndefined) return Change::kSame;
  if (after.state == State::kUndefined) return Change::kWorse;
  if (after.state == State::kInfinite) return before.state == State::kInfinite ? Change::kSame : Change::kBetter;
  if (worsening(metric, worst_allowed(metric, before, allowance), after.value) > 0) return Change::kWorse;
  if (before.state == State::kInfinite) return Change::kSame;
  return worsening(metric, before.value, after.value) < -slack(before, allowance) ? Change::kBetter : Change::kSame;
}

double relative(const MetricInfo& metric, const MetricValue& before, const MetricValue& after) {
  const bool finite = before.state == MetricValue::State::kFinite && after.state == MetricValue::State::kFinite;
  if (!finite || before.value == 0) return std::numeric_limits<double>::quiet_NaN();
  return worsening(metric, before.value, after.value) / std::fabs(before.value);
}

/// Worst change of a pair's metrics; what changed is appended to the result.
Change compare_maps(const StoredMap& before, const StoredMap& after, bool output, DiffResult& result) {
  Change worst = Change::kSame;
  for (std::size_t i = 0; i < diff_metrics().size(); ++i) {
    const MetricInfo& metric = diff_metrics()[i];
    if (!before.values[i] || !after.values[i]) continue;
    const MetricValue &old = *before.values[i], &now = *after.values[i];
    const Change change = judge(metric, old, now, result.tolerance.of(static_cast<int>(i)));
    if (change == Change::kSame) continue;
    worst = std::max(worst, change);
    result.differences.push_back({output,
                                  {after.subgraph, after.index, after.name, after.op, {}, after.display},
                                  static_cast<int>(i),
                                  old,
                                  now,
                                  change,
                                  relative(metric, old, now)});
  }
  return worst;
}

StoredMap stored_map(const MapComparison& map, const std::vector<Metric>& metrics) {
  StoredMap out{map.reference.subgraph, map.reference.node, map.reference.name, map.reference.op, {}, map.reference.display};
  out.values.resize(diff_metrics().size());
  for (std::size_t i = 0; i < metrics.size() && !map.integer; ++i) {
    out.values[as_size(metrics[i])] = i < map.metrics.size() ? map.metrics[i] : MetricValue{};
  }
  if (map.integer && map.not_compared.empty())
    out.values[all_metrics().size()] = MetricValue{MetricValue::State::kFinite, map.differing_share, -1};
  return out;
}

StoredResult without_maps(const StoredResult& result) {
  StoredResult out;
  static_cast<PairIdentity&>(out) = result;
  out.path = result.path;
  return out;
}

}  // namespace

const std::vector<MetricInfo>& diff_metrics() {
  static const std::vector<MetricInfo> metrics = [] {
    std::vector<MetricInfo> all = all_metrics();
    all.push_back({"differing_share", "differing", Direction::kLowerIsBetter, "differing elements / elements"});
    all.push_back({"accuracy_drop", "accuracy drop", Direction::kLowerIsBetter,
                   "accuracy by labels or a program, reference - quantized, in percentage points"});
    return all;
  }();
  return metrics;
}

bool same_records(const StoredResult& a, const StoredResult& b) {
  const auto says_nothing = [](const StoredResult& each) { return each.data.empty() && each.records.last == 0; };
  if (says_nothing(a) || says_nothing(b)) return true;
  return a.data == b.data && a.records.first == b.records.first && a.records.last == b.records.last;
}

StoredResult stored(const CompareResult& result) {
  StoredResult out;
  static_cast<PairIdentity&>(out) = result;
  for (const MapComparison& map : result.maps) out.nodes.push_back(stored_map(map, result.metrics));
  for (std::size_t i = 0; i < result.outputs.size(); ++i) out.outputs.push_back(stored_map(compared_output(result, i), result.metrics));
  if (result.accuracy) out.outputs.push_back(stored_accuracy(result.accuracy->output, result.accuracy->drop()));
  return out;
}

StoredMap stored_accuracy(const std::string& output, double drop) {
  StoredMap map{0, -1, output.empty() ? "accuracy" : output + " (accuracy)", "", {}};
  map.values.resize(diff_metrics().size());
  map.values.back() = MetricValue{MetricValue::State::kFinite, drop, -1};
  return map;
}

Allowance Tolerance::of(int metric) const {
  const auto found = own.find(metric);
  return found == own.end() ? Allowance{share, false} : found->second;
}

double worst_allowed(const MetricInfo& metric, const MetricValue& before, const Allowance& allowance) {
  if (before.state == MetricValue::State::kInfinite) return kNoErrorDb;
  const bool lower = metric.better == Direction::kLowerIsBetter;
  const double allowed = std::max(slack(before, allowance), metric.perfect(before.value) ? kNoError : 0.0);
  return lower ? before.value + allowed : before.value - allowed;
}

DiffResult diff(const StoredResult& before, const StoredResult& after, const Tolerance& tolerance) {
  DiffResult result;
  result.tolerance = tolerance;
  result.before = without_maps(before);
  result.after = without_maps(after);
  Partners outputs(before.outputs), nodes(before.nodes);
  for (const StoredMap& map : after.outputs) {
    const StoredMap* partner = outputs.take(map);
    if (partner == nullptr) continue;  // listed as a node, where it is one
    ++result.outputs;
    compare_maps(*partner, map, true, result);
  }
  for (const StoredMap& map : after.nodes) {
    const StoredMap* partner = nodes.take(map);
    if (partner == nullptr) {
      result.only_after.push_back(map.name);
      continue;
    }
    ++result.nodes;
    const Change change = compare_maps(*partner, map, false, result);
    result.nodes_worse += change == Change::kWorse ? 1 : 0;
    result.nodes_better += change == Change::kBetter ? 1 : 0;
  }
  result.only_before = nodes.left();
  return result;
}

}  // namespace visq
