#include "diagnosis/recommend/precision_accuracy.h"

#include <algorithm>
#include <map>

#include "analysis/facts/map_identity.h"
#include "analysis/records/owned_map.h"
#include "analysis/records/record_workers.h"
#include "core/as_size.h"
#include "core/error.h"
#include "runtime/executor.h"
#include "visq/accuracy.h"

namespace visq::diagnosis {
namespace {

using analysis::PartSet;
using Outputs = std::vector<Array>;

/// Runs the float graph with some parts quantized, record after record.
class PartlyQuantized {
 public:
  PartlyQuantized(analysis::PartialModels& models, const PartSet& parts, std::int64_t sequence_length)
      : models_(models), parts_(parts), sequence_length_(sequence_length) {}

  Result<Outputs> operator()(const Record& record) {
    VISQ_ASSIGN(const auto inputs, models_.inputs(record));
    VISQ_ASSIGN(auto graph, models_.graph(inputs));
    if (sequence_length_ > 0 && record.index % sequence_length_ == 0) executor_.reset();
    if (executor_ == nullptr || graph.get() != &executor_->graph()) VISQ_TRY(use(std::move(graph)));
    VISQ_TRY(executor_->begin(inputs, overlay_.get()));
    VISQ_TRY(executor_->run_from(0));
    return analysis::copy_outputs(*executor_, models_.reference());
  }

 private:
  Status use(std::shared_ptr<const runtime::PreparedGraph> graph) {
    VISQ_ASSIGN(auto overlay, models_.parts().overlay(parts_, *graph));
    auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
    VISQ_ASSIGN(auto executor, runtime::Executor::create(std::move(graph), std::move(plan)));
    executor_ = std::make_shared<runtime::Executor>(std::move(executor));
    overlay_ = std::make_shared<const runtime::Overlay>(std::move(overlay));
    return {};
  }

  analysis::PartialModels& models_;
  const PartSet& parts_;
  std::int64_t sequence_length_ = 0;
  std::shared_ptr<const runtime::Overlay> overlay_;
  std::shared_ptr<runtime::Executor> executor_;
};

using Fold = std::function<Status(std::int64_t record, Outputs&&)>;

/// All labelled records through the float graph with these parts quantized, in order.
Status run_all(analysis::PartialModels& models, const PartSet& parts, const RecommendOptions& options, Fold fold) {
  analysis::RecordWorkers<Outputs> workers(
      *options.labelled, options.labelled_records,
      [&]() -> Result<analysis::RecordWorker<Outputs>> {
        return analysis::RecordWorker<Outputs>(PartlyQuantized(models, parts, options.sequence_length));
      },
      std::move(fold), options.stop);
  const bool in_order = keeps_state(models.reference());
  VISQ_ASSIGN(const auto done, workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.labelled_records)));
  static_cast<void>(done);  // fewer where it is stopped: who set `stop` looks
  return {};
}

/// The score of all records, but for the guess.
class Scores {
 public:
  /// Whether the label is the best class of the first output; one that names no class never is.
  Status add(const Array& scores, const TensorInfo& info, std::int64_t label) {
    const std::int64_t classes = scores.shape.rank() > 0 ? scores.shape.back() : 0;
    const bool row = scores.dtype == DType::kFloat32 && classes > 1 && scores.shape.elements() == classes;
    if (!row) return bad_input("'{}' is no row of class scores, so labels say nothing about it", info.name);
    score_.classes = classes;
    ++score_.records;
    if (label < 0 || label >= classes) {
      if (score_.outside++ == 0) score_.first_outside = label;
      return {};
    }
    right_ += rank_of({reinterpret_cast<const float*>(scores.bytes.data()), as_size(classes)}, label) < 1 ? 1 : 0;
    return {};
  }
  LabelledScore result() const {
    LabelledScore score = score_;
    score.right = static_cast<double>(right_) / static_cast<double>(std::max<std::int64_t>(1, score.records));
    return score;
  }

 private:
  LabelledScore score_;
  std::int64_t right_ = 0;
};

Result<LabelledScore> scores_of(analysis::PartialModels& models, const PartSet& parts, const RecommendOptions& options) {
  const Subgraph& graph = models.reference().main();
  if (graph.outputs.empty()) return bad_input("{}: has no outputs, so labels say nothing about it", models.reference().path);
  const analysis::MapNames names(models.reference(), 0);
  const std::string& wanted = options.output_node;
  const auto named = std::ranges::find_if(graph.outputs, [&](int output) { return wanted.empty() || names.goes_by(output, wanted); });
  if (named == graph.outputs.end()) return usage_error("--output-node: {} has no output '{}'", models.reference().path, wanted);
  const std::size_t place = as_size(named - graph.outputs.begin());
  const TensorInfo& output = graph.tensors[as_size(*named)];
  Scores scores;
  VISQ_TRY(run_all(models, parts, options, [&](std::int64_t record, Outputs&& outputs) -> Status {
    return scores.add(outputs[place], output, options.labels[as_size(record)] + options.label_offset);
  }));
  return scores.result();
}

/// Share of the labels that are the best class.
Result<double> share_right(analysis::PartialModels& models, const PartSet& parts, const RecommendOptions& options) {
  VISQ_ASSIGN(const LabelledScore score, scores_of(models, parts, options));
  return score.right;
}

Status need_labels(const RecommendOptions& options) {
  if (static_cast<std::int64_t>(options.labels.size()) >= options.labelled_records.last) return {};
  return usage_error("--labels: {} labels for records up to {}", options.labels.size(), options.labelled_records.last);
}

/// What the user's program, boxes or masks say.
Result<double> judged(analysis::PartialModels& models, const PartSet& parts, const RecommendOptions& options) {
  return options.judge([&](MapSink& sink) {
    return run_all(models, parts, options, [&](std::int64_t record, Outputs&& outputs) {
      return analysis::send_outputs(models.reference(), record, outputs, sink);
    });
  });
}

}  // namespace

Result<LabelledScore> float_score(analysis::PartialModels& models, const RecommendOptions& options) {
  VISQ_TRY(need_labels(options));
  const auto [first, last] = options.labelled_records;
  VISQ_ASSIGN(LabelledScore score, scores_of(models, {}, options));
  std::map<std::int64_t, std::int64_t> counts;
  std::int64_t most = 0;
  for (std::int64_t record = first; record < last; ++record) most = std::max(most, ++counts[options.labels[as_size(record)]]);
  score.guess = static_cast<double>(most) / static_cast<double>(std::max<std::int64_t>(1, last - first));
  return score;
}

Status add_accuracy(analysis::PartialModels& models, const PrecisionForms& forms, const RecommendOptions& options,
                    std::vector<PrecisionPoint>& points) {
  const auto measure = options.judge ? judged : share_right;
  if (!options.judge) VISQ_TRY(need_labels(options));
  Accuracy accuracy;
  accuracy.program = options.judge ? "--eval" : "";
  VISQ_ASSIGN(accuracy.reference.main, measure(models, {}, options));
  for (PrecisionPoint& point : points) {
    if (options.stop != nullptr && options.stop->load()) return {};
    const PartSet parts = forms.with({point.operators.begin(), point.operators.end()});
    VISQ_ASSIGN(accuracy.quantized.main, measure(models, parts, options));
    point.accuracy_drop = accuracy.drop();
  }
  return {};
}

}  // namespace visq::diagnosis
