#include "visq/run.h"

#include <map>

#include "analysis/map_identity.h"
#include "analysis/node_filter.h"
#include "core/error.h"
#include "runtime/executor.h"

namespace visq {
namespace {

using runtime::Executor;
using runtime::PreparedGraph;

/// Runs one model record by record and passes its feature maps on, each right after the operator that made it.
class Runner {
 public:
  Runner(std::shared_ptr<const Model> model, const RunOptions& options, MapSink& sink)
      : model_(std::move(model)), options_(options), sink_(sink), names_(*model_, 0), wanted_(model_->main().tensors.size(), false) {}

  Status choose_maps() {
    analysis::NodeFilter filter(options_.nodes, options_.ops);
    for (std::size_t i = 0; i < wanted_.size(); ++i) filter.learn_name(names_.name(static_cast<int>(i)));
    bool any = false;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const int tensor = static_cast<int>(i);
      wanted_[i] = filter.passes({names_.name(tensor)}, names_.identity(tensor).op);
      any = any || wanted_[i];
    }
    return any ? Status() : Status(usage_error("no feature map fits --nodes and --ops"));
  }

  Status run_record(const Record& record, const std::vector<Array>& inputs) {
    VISQ_TRY(prepare(inputs));
    VISQ_TRY(sink_.begin_record(record.index));
    VISQ_TRY(executor_->begin(inputs));
    std::vector<bool> told(wanted_.size(), false);
    for (const int input : model_->main().inputs) VISQ_TRY(tell(input, told));
    for (std::size_t node = 0; node < model_->main().operators.size(); ++node) {
      VISQ_TRY(executor_->step(node));
      for (const int output : model_->main().operators[node].outputs) VISQ_TRY(tell(output, told));
    }
    for (const int output : model_->main().outputs) VISQ_TRY(tell(output, told));
    for (const auto& [subgraph, node, reason] : executor_->failures()) not_run_.emplace(std::pair(subgraph, node), reason);
    return {};
  }

  std::vector<NotRun> not_run() const {
    std::vector<NotRun> list;
    for (const auto& [place, reason] : not_run_) list.push_back({place.first, static_cast<int>(place.second), reason});
    return list;
  }

 private:
  Status prepare(const std::vector<Array>& inputs) {
    std::vector<Shape> shapes;
    for (const Array& input : inputs) shapes.push_back(input.shape);
    if (executor_ && shapes == shapes_) return {};
    VISQ_ASSIGN(auto graph, PreparedGraph::prepare(model_, 0, options_.mode, shapes));
    auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
    VISQ_ASSIGN(auto executor, Executor::create(std::move(graph), std::move(plan), state_));
    executor_ = std::make_unique<Executor>(std::move(executor));
    shapes_ = std::move(shapes);
    return {};
  }

  Status tell(int index, std::vector<bool>& told) {
    const auto i = static_cast<std::size_t>(index);
    if (told[i] || !wanted_[i] || !executor_->available(index)) return {};
    const kernels::Tensor& tensor = executor_->tensor(index);
    const bool resource = tensor.dtype == DType::kResource || tensor.dtype == DType::kVariant;
    if (resource || (tensor.data == nullptr && tensor.strings == nullptr)) return {};
    told[i] = true;
    FeatureMap map{index, tensor.info, tensor.dtype, tensor.shape, tensor.data, {}};
    if (tensor.strings != nullptr) map.strings = *tensor.strings;
    return sink_.add(map);
  }

  std::shared_ptr<const Model> model_;
  const RunOptions& options_;
  MapSink& sink_;
  analysis::MapNames names_;
  std::vector<bool> wanted_;
  std::vector<Shape> shapes_;
  std::shared_ptr<runtime::RunState> state_ = std::make_shared<runtime::RunState>();
  std::unique_ptr<Executor> executor_;
  std::map<std::pair<int, std::size_t>, std::string> not_run_;  ///< by subgraph and node
};

}  // namespace

bool keeps_state(const Model& model) { return runtime::keeps_state(model); }

Result<std::vector<NotRun>> run(std::shared_ptr<const Model> model, RecordSource& data, const RunOptions& options, MapSink& sink) {
  VISQ_ASSIGN(const auto feed, InputFeed::create(*model, nullptr));
  Runner runner(model, options, sink);
  VISQ_TRY(runner.choose_maps());
  for (std::int64_t index = options.records.first; index < options.records.last; ++index) {
    VISQ_ASSIGN(const Record record, data.read(index));
    VISQ_ASSIGN(const auto inputs, feed.for_model(record));
    VISQ_TRY(runner.run_record(record, inputs));
    if (options.progress) options.progress(index + 1 - options.records.first, options.records.last - options.records.first);
  }
  return runner.not_run();
}

}  // namespace visq
