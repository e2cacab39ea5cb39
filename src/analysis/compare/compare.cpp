#include "visq/compare.h"

#include <cmath>

#include "analysis/compare/comparison_collector.h"
#include "analysis/compare/fold_parts.h"
#include "analysis/compare/operator_clock.h"
#include "analysis/compare/record_codec.h"
#include "analysis/compare/token_scores.h"
#include "analysis/pairs/moved_maps.h"
#include "analysis/pairs/pair_worker.h"
#include "analysis/pairs/post_process.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/records/run_memory.h"
#include "core/as_size.h"
#include "core/error.h"
#include "visq/merge.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::MapRecord;
using analysis::RecordOutput;

/// Compares the maps of one record after the other.
class Comparer {
 public:
  /// `clock` is null where times are not wanted.
  Comparer(ComparePlan& plan, const analysis::SequenceFeed& feed, const CompareOptions& options, analysis::OperatorClock* clock)
      : plan_(plan), worker_(plan, feed), options_(options), outputs_(plan.outputs()), clock_(clock) {
    if (clock_ != nullptr) worker_.measure(times_.get());
  }

  Result<RecordOutput> operator()(const Record& record) {
    RecordOutput output;
    output.maps.resize(plan_.pairs().size());
    output.processed.resize(outputs_.size());
    if (!plan_.origins().empty()) output.origins.resize(plan_.pairs().size());
    VISQ_TRY(worker_.run(record, [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
      output.maps[pair].push_back(compare_pair(pair, reference, quantized, output));
      if (options_.post != PostProcess::kNone) process(pair, reference, quantized, output);
      if (is_logits(pair)) {
        if (Status scored = score(pair, record.index, reference, quantized, output); !scored.ok()) return scored;
      }
      return plan_.origins().empty() ? Status() : origin().after(pair, reference, quantized, output.origins);
    }));
    const runtime::Lockstep& lockstep = worker_.lockstep();
    if (clock_ != nullptr) clock_->add(lockstep, *times_);
    output.reference_failures = lockstep.reference().failures();
    output.quantized_failures = lockstep.quantized().failures();
    output.surplus = lockstep.surplus();
    return output;
  }

 private:
  MapRecord compare_pair(std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized,
                         const RecordOutput& output) {
    const auto& match = plan_.pairs()[pair].match;
    const bool is_output = std::find(outputs_.begin(), outputs_.end(), pair) != outputs_.end();
    const MapRecord* const source = moved_from(pair, output);
    if (source == nullptr || !reference.available(match.reference) || !quantized.available(match.quantized)) {
      return analysis::compare_maps(reference, match.reference, quantized, match.quantized,
                                    {.per_channel = options_.per_channel, .output = is_output}, *scratch_);
    }
    MapRecord record = *source;
    record.shape = reference.tensor(match.reference).shape;
    record.saturated = quantized.saturated(match.quantized);
    if (is_output) analysis::measure_output(reference.tensor(match.reference), quantized.tensor(match.quantized), *scratch_, record);
    return record;
  }

  /// What was found out in the same run about the maps that this pair's hold in another order; null where that cannot be carried over.
  const MapRecord* moved_from(std::size_t pair, const RecordOutput& output) const {
    const std::size_t source = plan_.moved_from()[pair];
    if (source == analysis::kNotMoved || options_.per_channel) return nullptr;
    if (output.maps[source].size() != output.maps[pair].size() + 1) return nullptr;
    const MapRecord& record = output.maps[source].back();
    const bool has_places = record.stats.non_finite_f + record.stats.non_finite_q > 0;  // of the first such element
    return record.not_compared.empty() && !record.integer && !has_places ? &record : nullptr;
  }

  void process(std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized, RecordOutput& output) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i] != pair) continue;
      const auto& match = plan_.pairs()[pair].match;
      output.processed[i] =
          analysis::compare_processed(options_.post, reference, match.reference, quantized, match.quantized, *post_scratch_);
    }
  }

  bool is_logits(std::size_t pair) const {
    const auto& [reference, quantized, match] = plan_.pairs()[pair];
    return options_.tokens != nullptr && reference == 0 && quantized == 0 && match.reference == options_.tokens->output;
  }

  Status score(std::size_t pair, std::int64_t record, const runtime::Executor& reference, const runtime::Executor& quantized,
               RecordOutput& output) const {
    const auto& match = plan_.pairs()[pair].match;
    return analysis::score_tokens(*options_.tokens, record, reference, match.reference, quantized, match.quantized, output.tokens);
  }

  /// The further runs on the graphs that the worker runs now.
  analysis::OriginRunner& origin() {
    const auto& graphs = worker_.graphs().origin;
    if (origin_graphs_ != graphs) {
      origin_ = std::make_shared<analysis::OriginRunner>(plan_.origins(), plan_.wanted(), graphs);
      origin_graphs_ = graphs;
    }
    return *origin_;
  }

  ComparePlan& plan_;
  analysis::PairWorker worker_;
  const CompareOptions& options_;
  std::vector<std::size_t> outputs_;
  analysis::OperatorClock* clock_;
  std::shared_ptr<runtime::StepTimes> times_ = std::make_shared<runtime::StepTimes>();
  std::shared_ptr<analysis::PostScratch> post_scratch_ = std::make_shared<analysis::PostScratch>();
  std::shared_ptr<analysis::MapScratch> scratch_ = std::make_shared<analysis::MapScratch>();
  std::shared_ptr<const analysis::OriginGraphs> origin_graphs_;
  std::shared_ptr<analysis::OriginRunner> origin_;
};

/// Shares of parts as those of all: counts of right answers are whole numbers.
Result<std::optional<Accuracy>> merged_accuracy(const std::vector<Part>& parts) {
  if (!parts.front().accuracy) return std::optional<Accuracy>();
  Accuracy all = *parts.front().accuracy;
  double* const totals[] = {&all.reference.main, &all.reference.second, &all.quantized.main, &all.quantized.second};
  for (double* total : totals) *total = 0;
  all.records = 0;
  for (const Part& part : parts) {
    if (!part.accuracy->program.empty()) return bad_input("{}: what a program said of parts cannot be joined (--eval)", part.path);
    if (!part.accuracy->by_class()) return bad_input("{}: what boxes or masks say of parts cannot be joined (--labels)", part.path);
    const Accuracy& own = *part.accuracy;
    const double shares[] = {own.reference.main, own.reference.second, own.quantized.main, own.quantized.second};
    for (std::size_t i = 0; i < std::size(shares); ++i) *totals[i] += std::round(shares[i] * static_cast<double>(own.records));
    all.records += own.records;
  }
  for (double* total : totals) *total /= static_cast<double>(all.records);
  return std::optional(all);
}

}  // namespace

const MapComparison& compared_output(const CompareResult& result, std::size_t i) {
  return result.processed.empty() ? result.maps[as_size(result.outputs[i])] : result.processed[i];
}

const MapComparison* find_map(const CompareResult& result, std::string_view tensor) {
  for (const auto side : {&MapComparison::reference, &MapComparison::quantized}) {
    const auto found =
        std::find_if(result.maps.begin(), result.maps.end(), [&](const MapComparison& map) { return (map.*side).name == tensor; });
    if (found != result.maps.end()) return &*found;
  }
  return nullptr;
}

const MetricValue* find_metric(const CompareResult& result, const MapComparison& map, std::string_view metric) {
  const auto found = std::find(result.metrics.begin(), result.metrics.end(), metric_named(metric));
  const auto place = as_size(found - result.metrics.begin());
  return place < map.metrics.size() ? &map.metrics[place] : nullptr;
}

Result<CompareResult> compare(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const CompareOptions& options) {
  std::optional<analysis::OperatorClock> clock;
  if (options.watch.costs) clock.emplace();
  VISQ_ASSIGN(auto plan, ComparePlan::create(reference, quantized, options));
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  const bool in_order = feed.in_order({reference.get(), quantized.get()});
  const int threads = in_order ? 1 : analysis::thread_count(options.threads, options.records);
  if (options.watch.memory) {
    plan.watch([&](const runtime::LockstepPlan& graphs) { options.watch.memory(analysis::run_memory(graphs, threads)); });
  }
  std::optional<analysis::OutputCodec<RecordOutput>> codec;
  if (!in_order && !options.tokens) codec = {[](const RecordOutput& output) { return analysis::pack(output); }, analysis::unpack_output};
  analysis::ComparisonCollector collector(plan, options);
  analysis::RecordWorkers<RecordOutput> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<RecordOutput>> {
        return analysis::RecordWorker<RecordOutput>(Comparer(plan, feed, options, clock ? &*clock : nullptr));
      },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }, options.stop, codec);
  VISQ_ASSIGN(const auto done, workers.run(threads));
  if (clock && done > 0) options.watch.costs(clock->costs());
  PairIdentity identity = analysis::pair_identity(*reference, *quantized, data.description(), options);
  identity.post = options.post;
  analysis::end_after(done, identity);
  return collector.finish(std::move(identity));
}

Result<CompareResult> merge_comparisons(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                        const std::vector<Part>& parts) {
  const Part& first = parts.front();
  VISQ_TRY(analysis::whole_sequences(parts, {reference.get(), quantized.get()}));
  CompareOptions options;
  static_cast<PairRunRequest&>(options) = analysis::request_of(parts);
  options.metrics = first.metrics;
  static_cast<NodeSelection&>(options) = first.sums;
  options.per_channel = first.sums.per_channel;
  options.origin = first.sums.origin;
  options.max_scale = first.sums.max_scale;
  options.post = first.post;
  options.per_record = true;
  VISQ_ASSIGN(auto plan, ComparePlan::create(reference, quantized, options));
  analysis::ComparisonCollector collector(plan, options);
  VISQ_TRY(analysis::fold_parts(
      parts, analysis::unpack_output, [&](const RecordOutput& output) { return collector.fits(output); },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }));
  CompareResult result = collector.finish(analysis::identity_of(parts, *reference, *quantized));
  VISQ_ASSIGN(result.accuracy, merged_accuracy(parts));
  return result;
}

}  // namespace visq
