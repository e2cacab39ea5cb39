// The graph outputs of both models of a pair, record by record.
#include <algorithm>

#include "analysis/owned_map.h"
#include "analysis/pair_worker.h"
#include "analysis/record_workers.h"
#include "core/error.h"
#include "visq/accuracy.h"
#include "visq/compare.h"

namespace visq {
namespace {

using analysis::ComparePlan;

/// The outputs of one record, by model.
struct Outputs {
  std::vector<Array> reference, quantized;
};

Result<std::vector<Array>> outputs_of(const runtime::Executor& executor, const Model& model) {
  std::vector<Array> arrays;
  for (const int output : model.main().outputs) {
    auto array = analysis::copy_map(executor, output);
    if (!array.ok()) return Error{array.error().reason, fmt::format("{}: {}", model.path, array.error().message)};
    arrays.push_back(std::move(array).value());
  }
  return arrays;
}

Status send(const Model& model, std::int64_t record, const std::vector<Array>& arrays, MapSink& sink) {
  VISQ_TRY(sink.begin_record(record));
  const Subgraph& graph = model.main();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const int tensor = graph.outputs[i];
    if (std::find(graph.outputs.begin(), graph.outputs.begin() + static_cast<std::ptrdiff_t>(i), tensor) !=
        graph.outputs.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;  // an output that is given twice is written once
    }
    VISQ_TRY(sink.add(analysis::feature_map(arrays[i], graph.tensors[static_cast<std::size_t>(tensor)], tensor)));
  }
  return {};
}

}  // namespace

Result<std::int64_t> send_outputs(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const AccuracyOptions& options, MapSink& reference_sink, MapSink& quantized_sink) {
  CompareOptions compare;
  compare.reference_mode = options.reference_mode;
  compare.quantized_mode = options.quantized_mode;
  compare.modes_given = true;
  VISQ_ASSIGN(ComparePlan plan, ComparePlan::create(reference, quantized, compare));
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  const auto make_worker = [&]() -> Result<analysis::RecordWorker<Outputs>> {
    return analysis::RecordWorker<Outputs>(
        [&, worker = std::make_shared<analysis::PairWorker>(plan, feed)](const Record& record) -> Result<Outputs> {
          VISQ_TRY(worker->run(record, [](std::size_t, const auto&, const auto&) { return Status(); }));
          Outputs outputs;
          VISQ_ASSIGN(outputs.reference, outputs_of(worker->lockstep().reference(), *reference));
          VISQ_ASSIGN(outputs.quantized, outputs_of(worker->lockstep().quantized(), *quantized));
          return outputs;
        });
  };
  std::int64_t done = 0;
  analysis::RecordWorkers<Outputs> workers(
      data, options.records, make_worker,
      [&](std::int64_t record, Outputs&& outputs) -> Status {
        VISQ_TRY(send(*reference, record, outputs.reference, reference_sink));
        VISQ_TRY(send(*quantized, record, outputs.quantized, quantized_sink));
        if (options.progress) options.progress(++done, options.records.last - options.records.first);
        return {};
      },
      options.stop);
  const bool in_order = feed.in_order({reference.get(), quantized.get()});
  return workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records));
}

}  // namespace visq
