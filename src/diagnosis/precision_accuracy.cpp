#include "diagnosis/precision_accuracy.h"

#include "core/error.h"
#include "runtime/executor.h"

namespace visq::diagnosis {
namespace {

/// Whether the label is the best class of the executor's output.
Result<bool> is_right(const runtime::Executor& executor, int output, std::int64_t label) {
  const kernels::Tensor& scores = executor.tensor(output);
  const bool row = executor.available(output) && scores.dtype == DType::kFloat32 && scores.shape.rank() > 0 && scores.elements() > 1 &&
                   scores.elements() == scores.shape.back();
  if (!row) return bad_input("'{}' is no row of class scores, so labels say nothing about it", scores.info->name);
  if (label < 0 || label >= scores.elements()) return bad_input("label {} is none of {} classes", label, scores.elements());
  return rank_of(scores.values<float>(), label) < 1;
}

}  // namespace

Status add_accuracy(analysis::PartialModels& models, const PrecisionSearch& search, const RecommendOptions& options,
                    std::vector<PrecisionPoint>& points) {
  const RecordRange range = options.labelled_records;
  if (static_cast<std::int64_t>(options.labels.size()) < range.last) {
    return usage_error("--labels: {} labels for records up to {}", options.labels.size(), range.last);
  }
  const int output = models.reference().main().outputs.at(0);
  std::vector<std::int64_t> right(points.size() + 1, 0);  // the float model's last
  for (std::int64_t index = range.first; index < range.last; ++index) {
    VISQ_ASSIGN(const Record record, options.labelled->read(index));
    VISQ_ASSIGN(const auto inputs, models.inputs(record));
    VISQ_ASSIGN(const auto graph, models.graph(inputs));
    auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
    VISQ_ASSIGN(auto executor, runtime::Executor::create(graph, plan));
    for (std::size_t i = 0; i < right.size(); ++i) {
      runtime::Overlay overlay;
      if (i < points.size()) {
        VISQ_ASSIGN(overlay,
                    models.parts().overlay(search.quantized_beside({points[i].operators.begin(), points[i].operators.end()}), *graph));
      }
      VISQ_TRY(executor.begin(inputs, &overlay));
      VISQ_TRY(executor.run_from(0));
      VISQ_ASSIGN(const bool hit, is_right(executor, output, options.labels[static_cast<std::size_t>(index)] + options.label_offset));
      right[i] += hit ? 1 : 0;
      executor.clear(nullptr);
    }
  }
  const auto records = static_cast<double>(std::max<std::int64_t>(1, range.last - range.first));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].accuracy_drop = 100 * static_cast<double>(right.back() - right[i]) / records;
  return {};
}

}  // namespace visq::diagnosis
