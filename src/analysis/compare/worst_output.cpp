#include "analysis/compare/worst_output.h"

namespace visq::analysis {

std::vector<MetricValue> worst_values(std::span<const MapComparison* const> maps, const std::vector<Metric>& metrics) {
  std::vector<MetricValue> worst(metrics.size());
  std::vector<bool> decided(metrics.size(), false);
  for (const MapComparison* map : maps) {
    const bool broken = map->quantized_statistics.non_finite > map->reference_statistics.non_finite;
    for (std::size_t i = 0; i < metrics.size() && i < map->metrics.size(); ++i) {
      const MetricValue& value = map->metrics[i];
      const bool known = value.state != MetricValue::State::kUndefined;
      if (decided[i] || (!known && !broken)) continue;
      if (!known) {
        worst[i] = value;
        decided[i] = true;
      } else if (worst[i].state == MetricValue::State::kUndefined || worse(metric_info(metrics[i]), value, worst[i])) {
        worst[i] = value;
      }
    }
  }
  return worst;
}

}  // namespace visq::analysis
