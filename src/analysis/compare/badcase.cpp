#include "visq/badcase.h"

#include <algorithm>
#include <map>

#include "analysis/compare/fold_parts.h"
#include "analysis/compare/record_codec.h"
#include "analysis/facts/map_identity.h"
#include "analysis/pairs/pair_names.h"
#include "analysis/pairs/pair_worker.h"
#include "analysis/pairs/post_process.h"
#include "analysis/records/map_record.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "metrics/metric.h"
#include "visq/merge.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::MapNames;
using analysis::MapRecord;

using Runs = std::vector<MapRecord>;  ///< of one map in one record: of a called subgraph as many as it was run, in the main graph one

/// The pairs that are looked at, as positions in the plan. The outputs, where nothing else was asked for, are those of the main graphs.
std::vector<std::size_t> chosen_pairs(const ComparePlan& plan, const BadcaseOptions& options) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < plan.pairs().size(); ++i) {
    const bool reachable = !options.nodes.empty() || plan.pairs()[i].reference_subgraph == 0;
    if (plan.wanted()[i] && reachable) chosen.push_back(i);
  }
  return chosen;
}

/// What one record gives: every output's runs, and the record itself, which may turn out to be the worst. Records that another rank ran
/// come without.
struct RecordBadness {
  std::vector<Runs> maps;
  std::shared_ptr<const Record> record;
};

Result<RecordBadness> unpack_output(const std::string& bytes) {
  RecordBadness output;
  VISQ_ASSIGN(output.maps, analysis::unpack_maps(bytes));
  return output;
}

/// How bad one output is in one record.
struct Badness {
  std::vector<MetricValue> values;
  double differing_share = 0;
  std::int64_t non_finite = 0;
};

bool comparable(const MapRecord& map) { return map.not_compared.empty(); }

/// Several runs count as several records of one comparison do.
Badness judge(const Runs& runs, std::int64_t record) {
  Badness badness;
  double differing = 0, elements = 0;
  std::vector<metrics::MetricState> states(metrics::metric_defs().size());
  for (const MapRecord& map : runs) {
    if (!comparable(map)) continue;
    badness.non_finite += map.stats.non_finite_f + map.stats.non_finite_q;
    if (map.integer) {
      differing += static_cast<double>(map.differing);
      elements += static_cast<double>(map.stats.elements);
      continue;
    }
    for (std::size_t i = 0; i < states.size(); ++i) metrics::metric_defs()[i]->add(states[i], map.stats, record);
  }
  if (elements > 0) badness.differing_share = differing / elements;
  for (std::size_t i = 0; i < states.size(); ++i) badness.values.push_back(metrics::metric_defs()[i]->value(states[i]));
  return badness;
}

/// Whether `a` is worse than `b` by a metric (kNone: integer outputs).
bool is_worse(Metric metric, const Badness& a, const Badness& b) {
  if (metric == Metric::kNone) return a.differing_share > b.differing_share;
  if ((a.non_finite > 0) != (b.non_finite > 0)) return a.non_finite > 0;
  if (a.non_finite > 0) return a.non_finite > b.non_finite;
  const auto i = metric_place(metric);
  const MetricValue &x = a.values[i], &y = b.values[i];
  const bool only = x.state != MetricValue::State::kUndefined && y.state == MetricValue::State::kUndefined;
  return only || worse(all_metrics()[i], x, y);
}

Result<ComparePlan> make_plan(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                              const BadcaseOptions& options) {
  CompareOptions compare;
  static_cast<PairRunRequest&>(compare) = options;
  compare.nodes = options.nodes;
  if (options.nodes.empty()) {
    const MapNames names(*reference, 0);
    for (const int output : reference->main().outputs) compare.nodes.push_back(names.name(output));
  }
  auto plan = ComparePlan::create(reference, quantized, compare);
  if (!plan.ok() && plan.error().reason == Reason::kUsage && options.nodes.empty()) {
    return bad_input("{}: none of its outputs has a counterpart in {}", reference->path, quantized->path);
  }
  return plan;
}

using Fold = std::function<Status(std::int64_t record, RecordBadness&& output)>;

/// Runs all records and hands each one's maps over in order. Returns how many were folded.
Result<std::int64_t> scan(ComparePlan& plan, RecordSource& data, const BadcaseOptions& options, bool keep_records, const Fold& fold) {
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(plan.reference(), &plan.quantized(), options.sequence));
  const std::vector<std::size_t> chosen = chosen_pairs(plan, options), outputs = plan.outputs();
  const auto make_worker = [&]() -> Result<analysis::RecordWorker<RecordBadness>> {
    auto worker = std::make_shared<analysis::PairWorker>(plan, feed);
    auto scratch = std::make_shared<analysis::PostScratch>();
    return analysis::RecordWorker<RecordBadness>([&, keep_records, worker, scratch](const Record& record) -> Result<RecordBadness> {
      RecordBadness output;
      output.maps.resize(chosen.size());
      if (keep_records) output.record = std::make_shared<const Record>(worker->completed(record));
      VISQ_TRY(worker->run(record, [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
        const auto place = std::lower_bound(chosen.begin(), chosen.end(), pair);
        if (place == chosen.end() || *place != pair) return {};
        const auto& match = plan.pairs()[pair].match;
        const bool is_output = std::find(outputs.begin(), outputs.end(), pair) != outputs.end();
        output.maps[as_size(place - chosen.begin())].push_back(
            is_output && options.post != PostProcess::kNone
                ? analysis::compare_processed(options.post, reference, match.reference, quantized, match.quantized, *scratch)
                : analysis::compare_maps(reference, match.reference, quantized, match.quantized, {.output = is_output}, scratch->maps));
        return {};
      }));
      return output;
    });
  };
  const bool in_order = feed.in_order({&plan.reference(), &plan.quantized()});
  std::optional<analysis::OutputCodec<RecordBadness>> codec;
  if (!in_order) codec = {[](const RecordBadness& output) { return analysis::pack(output.maps); }, unpack_output};
  std::int64_t done = 0;
  const std::int64_t total = options.records.last - options.records.first;
  analysis::RecordWorkers<RecordBadness> workers(
      data, options.records, make_worker,
      [&](std::int64_t record, RecordBadness&& output) -> Status {
        VISQ_TRY(fold(record, std::move(output)));
        if (options.progress) options.progress(++done, total);
        return {};
      },
      options.stop, codec);
  return workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records));
}

std::vector<Metric> metrics_of(const BadcaseOptions& options) {
  return options.by.empty() ? std::vector<Metric>{metric_named("atol")} : options.by;
}

/// The worst record so far of every output and metric.
class Worst {
 public:
  /// `data` gives the records that come without.
  Worst(const ComparePlan& plan, const BadcaseOptions& options, RecordSource* data)
      : options_(options), data_(data), by_(metrics_of(options)) {
    if (options.per_record) sums_ = RecordSums{{options.nodes, {}}, options.modes_given, false, false, 0, {}, options.pairs};
    const analysis::PairNames names(plan);
    for (const std::size_t pair : chosen_pairs(plan, options)) {
      const bool called = plan.pairs()[pair].reference_subgraph != 0;
      outputs_.push_back({names.reference(pair), names.quantized(pair), {}, false, called ? analysis::kNeverRun : ""});
    }
    slots_.resize(outputs_.size() * by_.size());
  }

  std::size_t outputs() const { return outputs_.size(); }

  Status add(std::int64_t record, RecordBadness&& output) {
    if (sums_) sums_->records.push_back(analysis::pack(output.maps));
    bool changed = false;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!take_runs(output.maps[i], i)) continue;
      const Badness badness = judge(output.maps[i], record);
      for (std::size_t k = 0; k < by_.size(); ++k) {
        Slot& slot = slots_[i * by_.size() + k];
        if (slot.record >= 0 && !is_worse(outputs_[i].integer ? Metric::kNone : by_[k], badness, slot.badness)) continue;
        if (options_.on_new_worst && !output.record) {
          VISQ_ASSIGN(Record read, data_->read(record));
          output.record = std::make_shared<const Record>(std::move(read));
        }
        slot = {record, badness, output.record};
        changed = true;
      }
    }
    return changed && options_.on_new_worst ? options_.on_new_worst(records()) : Status();
  }

  void write(BadcaseResult& result) const {
    result.by = by_;
    result.sums = sums_;
    result.outputs = outputs_;
    std::vector<const Slot*> slots;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      if (slot.record < 0) continue;
      const std::size_t output = i / by_.size();
      const Metric metric = outputs_[output].integer ? Metric::kNone : by_[i % by_.size()];
      result.cases.push_back({output, metric, slot.record, slot.badness.values, slot.badness.differing_share, slot.badness.non_finite});
      slots.push_back(&slot);
    }
    if (result.cases.empty()) return;
    for (std::size_t k = 0; k < by_.size(); ++k) result.worst_output.push_back(worst_case(result, slots, by_[k]));
  }

 private:
  struct Slot {
    std::int64_t record = -1;
    Badness badness;
    std::shared_ptr<const Record> data;
  };

  /// Whether one of a map's runs at least was compared; learns from them what the map is like.
  bool take_runs(const Runs& runs, std::size_t output) {
    BadcaseOutput& described = outputs_[output];
    if (!runs.empty() && described.not_compared == analysis::kNeverRun) described.not_compared.clear();
    bool any = false;
    for (const MapRecord& map : runs) {
      if (!comparable(map)) {
        described.not_compared = map.not_compared;
        continue;
      }
      described.shape = map.shape;
      described.integer = map.integer;
      any = true;
    }
    return any;
  }

  /// Real-valued outputs come before integer ones, which have no value by the metric.
  static std::size_t worst_case(const BadcaseResult& result, const std::vector<const Slot*>& slots, Metric metric) {
    std::size_t worst = slots.size();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (result.cases[i].metric != metric) continue;
      if (worst == slots.size() || is_worse(metric, slots[i]->badness, slots[worst]->badness)) worst = i;
    }
    for (std::size_t i = 0; i < slots.size() && worst == slots.size(); ++i) worst = i;
    return worst;
  }

  std::vector<Record> records() const {
    std::map<std::int64_t, const Record*> distinct;
    for (const Slot& slot : slots_) {
      if (slot.data) distinct.emplace(slot.record, slot.data.get());
    }
    std::vector<Record> list;
    for (const auto& [index, record] : distinct) list.push_back(*record);
    return list;
  }

  const BadcaseOptions& options_;
  RecordSource* data_;
  std::optional<RecordSums> sums_;
  std::vector<Metric> by_;
  std::vector<BadcaseOutput> outputs_;
  std::vector<Slot> slots_;  ///< [output][metric]
};

BadcaseResult result_of(PairIdentity identity, const Worst& worst) {
  BadcaseResult result;
  static_cast<PairIdentity&>(result) = std::move(identity);
  worst.write(result);
  return result;
}

}  // namespace

Result<BadcaseResult> badcase(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const BadcaseOptions& options) {
  VISQ_ASSIGN(ComparePlan plan, make_plan(reference, quantized, options));
  Worst worst(plan, options, &data);
  VISQ_ASSIGN(const std::int64_t done, scan(plan, data, options, options.on_new_worst != nullptr,
                                            [&](std::int64_t record, RecordBadness&& o) { return worst.add(record, std::move(o)); }));
  PairIdentity identity = analysis::pair_identity(*reference, *quantized, data.description(), options);
  identity.post = options.post;
  analysis::end_after(done, identity);
  return result_of(std::move(identity), worst);
}

Result<BadcaseResult> merge_badcases(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                     const std::vector<Part>& parts) {
  const Part& first = parts.front();
  VISQ_TRY(analysis::whole_sequences(parts, {reference.get(), quantized.get()}));
  BadcaseOptions options;
  static_cast<PairRunRequest&>(options) = analysis::request_of(parts);
  options.by = first.metrics;
  options.nodes = first.sums.nodes;
  options.post = first.post;
  options.per_record = true;
  VISQ_ASSIGN(ComparePlan plan, make_plan(reference, quantized, options));
  Worst worst(plan, options, nullptr);
  VISQ_TRY(analysis::fold_parts(
      parts, unpack_output, [&](const RecordBadness& output) { return output.maps.size() == worst.outputs(); },
      [&](std::int64_t record, RecordBadness&& output) { return worst.add(record, std::move(output)); }));
  return result_of(analysis::identity_of(parts, *reference, *quantized), worst);
}

Result<std::vector<std::int64_t>> worst_records(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                RecordSource& data, const BadcaseOptions& options, std::int64_t count) {
  VISQ_ASSIGN(ComparePlan plan, make_plan(reference, quantized, options));
  const Metric metric = metrics_of(options).front();
  std::vector<std::pair<Badness, std::int64_t>> worst;  // worst first
  const auto fold = [&](std::int64_t record, RecordBadness&& output) -> Status {
    Badness badness = judge({}, record);
    for (const Runs& runs : output.maps) {
      const auto map = std::find_if(runs.begin(), runs.end(), comparable);
      if (map == runs.end()) continue;
      Badness other = judge(runs, record);
      if (is_worse(map->integer ? Metric::kNone : metric, other, badness)) badness = std::move(other);
    }
    const auto place = std::find_if(worst.begin(), worst.end(), [&](const auto& entry) { return is_worse(metric, badness, entry.first); });
    worst.emplace(place, std::move(badness), record);
    if (static_cast<std::int64_t>(worst.size()) > count) worst.pop_back();
    return {};
  };
  VISQ_ASSIGN(const std::int64_t done, scan(plan, data, options, false, fold));
  (void)done;
  std::vector<std::int64_t> records;
  for (const auto& [badness, record] : worst) records.push_back(record);
  return records;
}

}  // namespace visq
