// Losses per feature map, for degradation graphs and the causes that are told by them.
#include <cmath>

#include "visq/diagnose.h"

namespace visq {
namespace {

double finite_or_nan(const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return HUGE_VAL;
  return value.state == MetricValue::State::kFinite ? value.value : NAN;
}

LayerLoss loss_of(const MapComparison& map, const DiagnoseOptions& options) {
  LayerLoss loss;
  loss.name = map.reference.name;
  loss.display = map.reference.display;
  loss.quantized_node = map.quantized.node;
  loss.mse = finite_or_nan(map.metrics[0]);
  loss.cosine = finite_or_nan(map.metrics[1]);
  loss.sqnr = finite_or_nan(map.metrics[2]);
  const MapStatistics& f = map.reference_statistics;
  loss.mse_limit = options.degraded_mse * std::max(0.0, f.rms * f.rms - f.mean * f.mean);
  // A comparison with NaN is false: what is not defined is degraded too.
  const bool fine = loss.mse <= loss.mse_limit && loss.cosine >= options.degraded_cosine && loss.sqnr >= options.degraded_sqnr;
  loss.degraded = !fine;
  return loss;
}

}  // namespace

Result<std::vector<LayerLoss>> layer_losses(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                            RecordSource& data, const DiagnoseOptions& options, Mode mode) {
  CompareOptions compare_options;
  static_cast<RunRequest&>(compare_options) = options;
  compare_options.sequence.length = options.sequence_length;
  compare_options.progress = {};  // told of runs with repairs, not of records
  compare_options.quantized_mode = mode;
  compare_options.modes_given = true;
  compare_options.metrics = {metric_named("mse"), metric_named("cosine"), metric_named("sqnr")};
  VISQ_ASSIGN(const CompareResult compared, compare(reference, quantized, data, compare_options));
  std::vector<LayerLoss> losses;
  for (const MapComparison& map : compared.maps) {
    const bool real = map.reference.subgraph == 0 && !map.integer && map.not_compared.empty();
    if (real && map.reference_statistics.elements > 0) losses.push_back(loss_of(map, options));
  }
  return losses;
}

}  // namespace visq
