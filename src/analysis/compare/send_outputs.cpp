// The graph outputs of both models of a pair, record by record.
#include "analysis/pairs/pair_worker.h"
#include "analysis/records/owned_map.h"
#include "analysis/records/record_workers.h"
#include "visq/accuracy.h"
#include "visq/compare.h"

namespace visq {
namespace {

using analysis::ComparePlan;

/// The outputs of one record, by model.
struct Outputs {
  std::vector<Array> reference, quantized;
};

}  // namespace

Result<std::int64_t> send_outputs(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const AccuracyOptions& options, MapSink& reference_sink, MapSink& quantized_sink) {
  CompareOptions compare;
  static_cast<PairRunRequest&>(compare) = options;
  compare.modes_given = true;
  VISQ_ASSIGN(ComparePlan plan, ComparePlan::create(reference, quantized, compare));
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  const auto make_worker = [&]() -> Result<analysis::RecordWorker<Outputs>> {
    return analysis::RecordWorker<Outputs>(
        [&, worker = std::make_shared<analysis::PairWorker>(plan, feed)](const Record& record) -> Result<Outputs> {
          VISQ_TRY(worker->run(record, [](std::size_t, const auto&, const auto&) { return Status(); }));
          Outputs outputs;
          VISQ_ASSIGN(outputs.reference, analysis::copy_outputs(worker->lockstep().reference(), *reference));
          VISQ_ASSIGN(outputs.quantized, analysis::copy_outputs(worker->lockstep().quantized(), *quantized));
          return outputs;
        });
  };
  std::int64_t done = 0;
  analysis::RecordWorkers<Outputs> workers(
      data, options.records, make_worker,
      [&](std::int64_t record, Outputs&& outputs) -> Status {
        VISQ_TRY(analysis::send_outputs(*reference, record, outputs.reference, reference_sink));
        VISQ_TRY(analysis::send_outputs(*quantized, record, outputs.quantized, quantized_sink));
        if (options.progress) options.progress(++done, options.records.last - options.records.first);
        return {};
      },
      options.stop);
  const bool in_order = feed.in_order({reference.get(), quantized.get()});
  return workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records));
}

}  // namespace visq
