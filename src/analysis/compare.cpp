#include "visq/compare.h"

#include "analysis/comparison_collector.h"
#include "analysis/pair_worker.h"
#include "analysis/record_workers.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::RecordOutput;

/// Compares the maps of one record after the other.
class Comparer {
 public:
  Comparer(ComparePlan& plan, const InputFeed& feed, bool per_channel) : plan_(plan), worker_(plan, feed), per_channel_(per_channel) {}

  Result<RecordOutput> operator()(const Record& record) {
    RecordOutput output;
    output.maps.resize(plan_.pairs().size());
    if (!plan_.origins().empty()) output.origins.resize(plan_.pairs().size());
    VISQ_TRY(worker_.run(record, [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
      const auto& match = plan_.pairs()[pair].match;
      output.maps[pair].push_back(analysis::compare_maps(reference, match.reference, quantized, match.quantized, per_channel_, *scratch_));
      return plan_.origins().empty() ? Status() : origin().after(pair, reference, quantized, output.origins);
    }));
    const runtime::Lockstep& lockstep = worker_.lockstep();
    output.reference_failures = lockstep.reference().failures();
    output.quantized_failures = lockstep.quantized().failures();
    output.surplus = lockstep.surplus();
    return output;
  }

 private:
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
  bool per_channel_;
  std::shared_ptr<analysis::MapScratch> scratch_ = std::make_shared<analysis::MapScratch>();
  std::shared_ptr<const analysis::OriginGraphs> origin_graphs_;
  std::shared_ptr<analysis::OriginRunner> origin_;
};

}  // namespace

Result<CompareResult> compare(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const CompareOptions& options) {
  VISQ_ASSIGN(auto plan, ComparePlan::create(reference, quantized, options));
  VISQ_ASSIGN(const auto feed, InputFeed::create(*reference, quantized.get()));
  analysis::ComparisonCollector collector(plan, options);
  analysis::RecordWorkers<RecordOutput> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<RecordOutput>> {
        return analysis::RecordWorker<RecordOutput>(Comparer(plan, feed, options.per_channel));
      },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }, options.stop);
  const bool in_order = keeps_state(*reference) || keeps_state(*quantized);
  VISQ_ASSIGN(const auto done, workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records)));
  (void)done;
  return collector.finish(data);
}

}  // namespace visq
