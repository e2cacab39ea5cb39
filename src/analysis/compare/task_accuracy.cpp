// Accuracy by boxes and masks: both models' outputs, each to a scorer of its own.
#include "visq/accuracy.h"

namespace visq {

Result<Accuracy> task_accuracy(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                               const PairRunRequest& request, const TaskLabels& labels) {
  AccuracyOptions options;
  static_cast<PairRunRequest&>(options) = request;
  VISQ_ASSIGN(const auto reference_scorer, task_scorer(labels, *reference, *reference));
  VISQ_ASSIGN(const auto quantized_scorer, task_scorer(labels, *quantized, *reference));
  Accuracy result;
  result.score = labels.score();
  VISQ_ASSIGN(result.records, send_outputs(reference, quantized, data, options, *reference_scorer, *quantized_scorer));
  VISQ_ASSIGN(result.reference, reference_scorer->finish());
  VISQ_ASSIGN(result.quantized, quantized_scorer->finish());
  result.output = reference_scorer->output();
  result.classes = reference_scorer->classes();
  return result;
}

}  // namespace visq
