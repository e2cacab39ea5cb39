// Parts that the result JSON of several commands has in common.
#pragma once

#include <optional>
#include <vector>

#include "report/json/json_text.h"
#include "visq/compare.h"
#include "visq/profile.h"
#include "visq/sensitivity.h"

namespace visq::report {

/// {"file": …, "sha256": …}
Json json_model(const ModelIdentity& identity);

/// {"reference": …, "quantized": …}
Json json_models(const PairIdentity& pair);

/// What was run: {"file", "records"}, and of sequences "sequence"
Json json_data(const RunIdentity& run);

/// What a result is of, as its members "models" and "data".
void add_run(Json& document, const PairIdentity& pair);

/// The same with "modes".
void add_run_with_modes(Json& document, const PairIdentity& pair);

/// Scales through the shortest text of the float, 0.0235 rather than 0.023499999195337296; null where they are not finite.
Json json_scales(const std::vector<float>& scales);

/// null where there is none.
Json json_optional(const std::optional<double>& value);

/// {"low", "high", "counts"}
Json json_histogram(const Histogram& histogram);

Json json_judgement(const Judgement& judgement);
/// "whole": {"records", "sqnr"} of output `i`; nothing where the result is of all records.
void add_whole_sqnr(Json& out, const WholeSqnr& whole, std::size_t i);

/// Both models' top-1 and top-5, or the numbers of a program.
Json json_accuracy(const Accuracy& values);

/// "display", the short name for people, where there is one.
void add_display(Json& out, const std::string& display);

/// Where a map stands in its model, as members of `out`.
void add_identity(Json& out, const MapIdentity& map);

/// The same with type and quantization.
Json json_quantized(const MapIdentity& map);

/// What of the quantized model stays float, and why.
Json json_gaps(const std::vector<SensitivityGap>& gaps);

/// What merge needs of a run over a part of the records.
Json json_sums(const RecordSums& sums, const std::vector<Metric>& metrics);

/// "metrics" (numbers or null), "state" (why null) and, for maxima, "record" (where), as members of `out`. `values` are those of `metrics`
///.
void add_metrics(Json& out, const std::vector<Metric>& metrics, const std::vector<MetricValue>& values);

}  // namespace visq::report
