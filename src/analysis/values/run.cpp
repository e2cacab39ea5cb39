#include "visq/run.h"

#include <map>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "analysis/facts/node_filter.h"
#include "analysis/records/model_runner.h"
#include "core/as_size.h"
#include "core/error.h"

namespace visq {
namespace {

/// Passes the feature maps of records on, each right after the operator that made it.
class Dumper {
 public:
  Dumper(std::shared_ptr<const Model> model, const RunOptions& options, MapSink& sink)
      : runner_(model, options.mode), options_(options), sink_(sink), names_(*model, 0), wanted_(model->main().tensors.size(), false) {}

  Status choose_maps(const Model& model) {
    analysis::NodeFilter filter(options_.nodes, options_.ops);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      for (const auto known : names_.all(static_cast<int>(i))) filter.learn_name(known);
    }
    bool any = false;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const int tensor = static_cast<int>(i);
      wanted_[i] = filter.passes(names_.all(tensor), names_.identity(tensor).op);
      any = any || wanted_[i];
    }
    if (any) return {};
    return usage_error("no feature map fits --nodes and --ops{}", analysis::filter_hint(options_.nodes, options_.ops, {&model}));
  }

  Status run_record(const Record& record, const analysis::SequenceFeed& feed) {
    VISQ_TRY(sink_.begin_record(record.index));
    VISQ_TRY(runner_.run(record, feed, analysis::SequenceFeed::Side::kModel,
                         [&](int tensor, const runtime::Executor& executor) { return tell(tensor, executor); }));
    for (const auto& [subgraph, node, reason] : runner_.executor().failures()) not_run_.emplace(std::pair(subgraph, node), reason);
    return {};
  }

  std::vector<NotRun> not_run() const {
    std::vector<NotRun> list;
    for (const auto& [place, reason] : not_run_) list.push_back({place.first, static_cast<int>(place.second), reason});
    return list;
  }

 private:
  Status tell(int index, const runtime::Executor& executor) {
    if (executor.graph().subgraph_index() != 0) return {};  // a dump holds the main graph's maps
    const kernels::Tensor& tensor = executor.tensor(index);
    const bool resource = tensor.dtype == DType::kResource || tensor.dtype == DType::kVariant;
    if (!wanted_[as_size(index)] || resource || (tensor.data == nullptr && tensor.strings == nullptr)) return {};
    FeatureMap map{index, tensor.info, tensor.dtype, tensor.shape, tensor.data, {}};
    if (tensor.strings != nullptr) map.strings = *tensor.strings;
    return sink_.add(map);
  }

  analysis::ModelRunner runner_;
  const RunOptions& options_;
  MapSink& sink_;
  analysis::MapNames names_;
  std::vector<bool> wanted_;
  std::map<std::pair<int, std::size_t>, std::string> not_run_;  ///< by subgraph and node
};

}  // namespace

bool keeps_state(const Model& model) { return runtime::keeps_state(model); }

Result<std::vector<NotRun>> run(std::shared_ptr<const Model> model, RecordSource& data, const RunOptions& options, MapSink& sink) {
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*model, nullptr, options.sequence));
  Dumper dumper(model, options, sink);
  VISQ_TRY(dumper.choose_maps(*model));
  for (std::int64_t index = options.records.first; index < options.records.last; ++index) {
    VISQ_ASSIGN(const Record record, data.read(index));
    VISQ_TRY(dumper.run_record(record, feed));
    if (options.progress) options.progress(index + 1 - options.records.first, options.records.last - options.records.first);
  }
  return dumper.not_run();
}

}  // namespace visq
