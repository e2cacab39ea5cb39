#include "visq/compare.h"

#include "analysis/comparison_collector.h"
#include "analysis/record_workers.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::RecordOutput;

/// One thread's pair of executors; rebuilt where a record's input shapes differ from those of the last.
class Worker {
 public:
  Worker(ComparePlan& plan, const InputFeed& feed, bool per_channel) : plan_(plan), feed_(feed), per_channel_(per_channel) {}

  Result<RecordOutput> operator()(const Record& record) {
    VISQ_ASSIGN(const auto reference_inputs, feed_.for_model(record));
    VISQ_ASSIGN(const auto quantized_inputs, feed_.for_twin(record));
    VISQ_TRY(prepare(reference_inputs, quantized_inputs));
    RecordOutput output;
    output.maps.resize(plan_.pairs().size());
    VISQ_TRY(lockstep_->run(reference_inputs, quantized_inputs,
                            [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
                              const auto& match = plan_.pairs()[pair].match;
                              output.maps[pair].push_back(
                                  analysis::compare_maps(reference, match.reference, quantized, match.quantized, per_channel_, *scratch_));
                              return {};
                            }));
    output.reference_failures = lockstep_->reference().failures();
    output.quantized_failures = lockstep_->quantized().failures();
    output.surplus = lockstep_->surplus();
    return output;
  }

 private:
  static std::vector<Shape> shapes_of(const std::vector<Array>& inputs) {
    std::vector<Shape> shapes;
    for (const Array& input : inputs) shapes.push_back(input.shape);
    return shapes;
  }

  Status prepare(const std::vector<Array>& reference_inputs, const std::vector<Array>& quantized_inputs) {
    auto shapes = shapes_of(reference_inputs);
    if (lockstep_ && shapes == shapes_) return {};
    VISQ_ASSIGN(auto plan, plan_.lockstep(shapes, shapes_of(quantized_inputs)));
    VISQ_ASSIGN(auto lockstep, runtime::Lockstep::create(std::move(plan), state_));
    lockstep_ = std::make_shared<runtime::Lockstep>(std::move(lockstep));
    shapes_ = std::move(shapes);
    return {};
  }

  ComparePlan& plan_;
  const InputFeed& feed_;
  bool per_channel_;
  std::vector<Shape> shapes_;
  runtime::LockstepState state_;
  std::shared_ptr<runtime::Lockstep> lockstep_;
  std::shared_ptr<analysis::MapScratch> scratch_ = std::make_shared<analysis::MapScratch>();
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
        return analysis::RecordWorker<RecordOutput>(Worker(plan, feed, options.per_channel));
      },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }, options.stop);
  const bool in_order = keeps_state(*reference) || keeps_state(*quantized);
  VISQ_ASSIGN(const auto done, workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records)));
  (void)done;
  return collector.finish(data);
}

}  // namespace visq
