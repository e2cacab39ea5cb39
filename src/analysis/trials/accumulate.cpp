#include "visq/accumulate.h"

#include <algorithm>

#include "analysis/compare/worst_output.h"
#include "analysis/records/comparison_sum.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/trials/accumulate_plan.h"
#include "analysis/trials/part_remarks.h"
#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "core/error.h"
#include "core/memory_size.h"

namespace visq {
namespace {

using analysis::AccumulatePlan;
using analysis::ComparisonSum;
using analysis::PartialModels;
using analysis::TrialRecord;
using analysis::TrialRunner;

/// What one record gives: per curve the sums of every measured map. Incomplete where the run was stopped.
struct RecordCurves {
  std::vector<TrialRecord> curves;
  bool complete = false;
};

/// Runs all curves over the records and folds them.
class Accumulation {
 public:
  Accumulation(PartialModels& models, const AccumulatePlan& plan, const AccumulateOptions& options, const std::vector<Metric>& metrics)
      : models_(models), plan_(plan), options_(options) {
    const analysis::MapNames names(models.reference(), 0);
    for (std::size_t curve = 0; curve < plan.trials.size(); ++curve) {
      all_.push_back(curve);
      auto& sums = sums_.emplace_back();
      for (const int tensor : plan.tensors) sums.emplace_back(names.identity(tensor), MapIdentity{}, PairedBy::kName, metrics);
    }
  }

  /// Returns how many records were folded.
  Result<std::int64_t> run(RecordSource& data) {
    VISQ_TRY(divide_threads(data));
    analysis::RecordWorkers<RecordCurves> workers(
        data, options_.records, [this] { return make_worker(); },
        [this](std::int64_t record, RecordCurves&& output) { return fold(record, std::move(output)); }, options_.stop);
    VISQ_ASSIGN(const std::int64_t folded, workers.run(records_at_once_));
    (void)folded;
    return done_;
  }

  const std::vector<std::string>& remarks() const { return remarks_; }

  /// Per measured map the comparison of one curve.
  std::vector<MapComparison> maps(std::size_t curve) const {
    std::vector<MapComparison> maps;
    for (const ComparisonSum& sum : sums_[curve]) maps.push_back(sum.finish());
    return maps;
  }

 private:
  /// Threads take records; where there are fewer records than threads, or memory for fewer, those left over take curves.
  Status divide_threads(RecordSource& data) {
    const int wanted = analysis::thread_count(options_.threads, {0, std::int64_t{1} << 20});
    records_at_once_ = keeps_state(models_.reference()) ? 1 : analysis::thread_count(options_.threads, options_.records);
    if (options_.memory > 0 && records_at_once_ > 1) {
      VISQ_ASSIGN(const Record record, data.read(options_.records.first));
      VISQ_ASSIGN(const auto inputs, models_.inputs(record));
      VISQ_ASSIGN(const auto graph, models_.graph(inputs));
      const std::uint64_t each = std::max<std::uint64_t>(1, 2 * analysis::FloatRun::bytes(*graph));
      const auto fitting =
          static_cast<int>(std::clamp<std::uint64_t>(options_.memory / each, 1, static_cast<std::uint64_t>(records_at_once_)));
      if (fitting < records_at_once_) {
        remarks_.push_back(fmt::format("--memory {}: {} instead of {} records at a time, each of which takes {} of feature maps",
                                       memory_size(options_.memory), fitting, records_at_once_, memory_size(each)));
      }
      records_at_once_ = fitting;
    }
    threads_per_record_ = std::max(1, wanted / records_at_once_);
    return {};
  }

  Result<analysis::RecordWorker<RecordCurves>> make_worker() {
    analysis::TrialOptions options;
    options.outputs = plan_.tensors;
    options.threads = threads_per_record_;
    options.memory = options_.memory / static_cast<std::uint64_t>(records_at_once_);
    const auto runner = std::make_shared<TrialRunner>(models_, plan_.trials, std::move(options));
    return analysis::RecordWorker<RecordCurves>([this, runner](const Record& record) -> Result<RecordCurves> {
      RecordCurves output;
      output.curves.resize(all_.size());
      std::size_t finished = 0;
      VISQ_TRY(runner->begin(record));
      VISQ_TRY(runner->run(
          all_,
          [&](std::size_t curve, TrialRecord&& trial) {
            output.curves[curve] = std::move(trial);
            ++finished;
          },
          options_.stop));
      output.complete = finished == all_.size();
      return output;
    });
  }

  Status fold(std::int64_t record, RecordCurves&& output) {
    stopped_ = stopped_ || !output.complete;
    if (stopped_) return {};
    for (std::size_t curve = 0; curve < all_.size(); ++curve) {
      for (std::size_t i = 0; i < plan_.tensors.size(); ++i) sums_[curve][i].add(record, {map_of(output.curves[curve].outputs[i])}, false);
    }
    ++done_;
    if (options_.progress) options_.progress(done_, options_.records.last - options_.records.first);
    return {};
  }

  static analysis::MapRecord map_of(analysis::OutputRecord& output) {
    analysis::MapRecord map;
    map.stats = output.stats;
    map.integer = output.integer;
    map.differing = output.differing;
    map.not_compared = std::move(output.not_compared);
    return map;
  }

  PartialModels& models_;
  const AccumulatePlan& plan_;
  const AccumulateOptions& options_;
  std::vector<std::string> remarks_;
  std::vector<std::size_t> all_;                  ///< the curves
  std::vector<std::vector<ComparisonSum>> sums_;  ///< [curve][tensor]
  int records_at_once_ = 1, threads_per_record_ = 1;
  std::int64_t done_ = 0;
  bool stopped_ = false;
};

AccumulatedError error_at(const AccumulatePlan::Node& node, const std::vector<MapComparison>& maps, const std::vector<Metric>& metrics) {
  AccumulatedError error;
  std::vector<const MapComparison*> compared;
  for (const std::size_t place : node.outputs) {
    const MapComparison& map = maps[place];
    if (map.integer) error.differing = std::max(error.differing.value_or(0), map.differing_share);
    if (!map.integer) compared.push_back(&map);
    if (error.not_compared.empty()) error.not_compared = map.not_compared;
  }
  error.metrics = analysis::worst_values(compared, metrics);
  return error;
}

/// Means over the nodes so far, of finite values.
void add_averages(AccumulateCurve& curve, std::size_t metrics) {
  std::vector<double> sums(metrics, 0);
  std::vector<double> counts(metrics, 0);
  for (AccumulatedError& node : curve.nodes) {
    for (std::size_t i = 0; i < metrics; ++i) {
      if (node.metrics[i].state == MetricValue::State::kFinite) sums[i] += node.metrics[i].value, ++counts[i];
      node.averages.push_back(counts[i] > 0 ? MetricValue{MetricValue::State::kFinite, sums[i] / counts[i], -1} : MetricValue{});
    }
  }
  curve.output.averages = curve.nodes.back().averages;
}

void list_gaps(const PartialModels& models, AccumulateResult& result) {
  const analysis::MapNames names(models.quantized(), 0);
  for (const auto& gap : models.parts().gaps()) {
    const auto& outputs = models.quantized().main().operators[as_size(gap.node)].outputs;
    result.gaps.push_back({names.identity(outputs.front()), gap.reason});
  }
}

/// Operators that is not runnable, as the first record's shapes have it.
Status list_not_computed(PartialModels& models, RecordSource& data, AccumulateResult& result) {
  if (result.records.first == result.records.last) return {};
  VISQ_ASSIGN(const Record record, data.read(result.records.first));
  VISQ_ASSIGN(const auto inputs, models.inputs(record));
  VISQ_ASSIGN(const auto graph, models.graph(inputs));
  const analysis::MapNames names(models.reference(), 0);
  for (const auto& node : graph->nodes()) {
    if (node.status != runtime::NodeStatus::kUnsupported || node.op->outputs.empty()) continue;
    result.not_computed.push_back({models.reference().path, names.identity(node.op->outputs[0]), node.reason});
  }
  return {};
}

}  // namespace

Result<AccumulateResult> accumulate(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                    const AccumulateOptions& options) {
  VISQ_ASSIGN(const auto models, PartialModels::create(reference, quantized, options.pairs));
  AccumulateResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, analysis::run_identity(data.description(), options));
  result.metrics = options.metrics.empty() ? std::vector<Metric>{metric_named("cosine")} : options.metrics;
  result.average = options.average;
  VISQ_ASSIGN(const AccumulatePlan plan, analysis::plan_accumulation(*models, options, result));
  Accumulation accumulation(*models, plan, options, result.metrics);
  VISQ_ASSIGN(const std::int64_t done, accumulation.run(data));
  analysis::end_after(done, result);
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    AccumulateCurve& curve = result.curves[i];
    const auto maps = accumulation.maps(i);
    for (const auto& node : plan.nodes) curve.nodes.push_back(error_at(node, maps, result.metrics));
    curve.output = error_at(plan.outputs, maps, result.metrics);
    if (options.average) add_averages(curve, result.metrics.size());
  }
  result.remarks = analysis::part_remarks(*models);
  result.remarks.insert(result.remarks.end(), accumulation.remarks().begin(), accumulation.remarks().end());
  list_gaps(*models, result);
  VISQ_TRY(list_not_computed(*models, data, result));
  return result;
}

}  // namespace visq
