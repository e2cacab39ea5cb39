// Several outputs, one value: that of the worst.
#pragma once

#include <span>
#include <vector>

#include "visq/compare.h"

namespace visq::analysis {

/// Per metric the worst value of these maps. Integer maps and maps that were not compared have none; one with
/// NaN or Inf where the reference has none is the worst that there is, and undefined.
std::vector<MetricValue> worst_values(std::span<const MapComparison* const> maps, const std::vector<Metric>& metrics);

}  // namespace visq::analysis
