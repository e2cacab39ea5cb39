#include "visq/compare.h"

#include "analysis/comparison_collector.h"
#include "analysis/pair_worker.h"
#include "analysis/post_process.h"
#include "analysis/record_workers.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::RecordOutput;

/// Compares the maps of one record after the other.
class Comparer {
 public:
  Comparer(ComparePlan& plan, const analysis::SequenceFeed& feed, const CompareOptions& options)
      : plan_(plan), worker_(plan, feed), options_(options), outputs_(plan.outputs()) {}

  Result<RecordOutput> operator()(const Record& record) {
    RecordOutput output;
    output.maps.resize(plan_.pairs().size());
    output.processed.resize(outputs_.size());
    if (!plan_.origins().empty()) output.origins.resize(plan_.pairs().size());
    VISQ_TRY(worker_.run(record, [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
      const auto& match = plan_.pairs()[pair].match;
      output.maps[pair].push_back(
          analysis::compare_maps(reference, match.reference, quantized, match.quantized, options_.per_channel, *scratch_));
      if (options_.post != PostProcess::kNone) process(pair, reference, quantized, output);
      return plan_.origins().empty() ? Status() : origin().after(pair, reference, quantized, output.origins);
    }));
    const runtime::Lockstep& lockstep = worker_.lockstep();
    output.reference_failures = lockstep.reference().failures();
    output.quantized_failures = lockstep.quantized().failures();
    output.surplus = lockstep.surplus();
    return output;
  }

 private:
  void process(std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized, RecordOutput& output) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i] != pair) continue;
      const auto& match = plan_.pairs()[pair].match;
      output.processed[i] =
          analysis::compare_processed(options_.post, reference, match.reference, quantized, match.quantized, *post_scratch_);
    }
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
  std::shared_ptr<analysis::PostScratch> post_scratch_ = std::make_shared<analysis::PostScratch>();
  std::shared_ptr<analysis::MapScratch> scratch_ = std::make_shared<analysis::MapScratch>();
  std::shared_ptr<const analysis::OriginGraphs> origin_graphs_;
  std::shared_ptr<analysis::OriginRunner> origin_;
};

}  // namespace

const MapComparison& compared_output(const CompareResult& result, std::size_t i) {
  return result.processed.empty() ? result.maps[static_cast<std::size_t>(result.outputs[i])] : result.processed[i];
}

Result<CompareResult> compare(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const CompareOptions& options) {
  VISQ_ASSIGN(auto plan, ComparePlan::create(reference, quantized, options));
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  analysis::ComparisonCollector collector(plan, options);
  analysis::RecordWorkers<RecordOutput> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<RecordOutput>> { return analysis::RecordWorker<RecordOutput>(Comparer(plan, feed, options)); },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }, options.stop);
  const bool in_order = feed.in_order({reference.get(), quantized.get()});
  VISQ_ASSIGN(const auto done, workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records)));
  (void)done;
  return collector.finish(data);
}

}  // namespace visq
