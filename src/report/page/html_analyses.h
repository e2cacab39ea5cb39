// What diagnose, sensitivity, accumulate, partial, distribution and profile found, as the page's script draws it.
#pragma once

#include "report/page/html_places.h"

namespace visq::report {

/// Six significant digits, or null.
Json json_short(double value);
/// A number, "inf" (no error at all), or null.
Json metric_value(const MetricValue& value);
Json metric_values(const std::vector<MetricValue>& values);

Json json_diagnosis(const DiagnoseResult& result, const Places& places);
Json json_sensitivity(const SensitivityResult& result, const Places& places);
Json json_accumulation(const AccumulateResult& result, const Places& places);
Json json_partial(const PartialResult& result, const Places& places);
Json json_weights(const std::vector<WeightProfile>& weights, const Places& places);
/// MACs of every node of the graph, and how long they took where that was measured.
Json json_operators(const FullReport& report, const Places& places);

/// Histograms and box plots. Numbers of a picture are kept as two letters each, of the 64 in kLetters: a count c of a histogram as
/// 4095·ln(1+c)/ln(1+most), a value v of a box plot as 4095·(v-low)/(high-low).
Json json_distributions(const DistributionResult& result, const Places& places);
inline constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

}  // namespace visq::report
