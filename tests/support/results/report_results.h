// Hand-made results for the tests of output formats.
#pragma once

#include <string>
#include <vector>

#include "visq/compare.h"

namespace visq::testing {

MetricValue finite_value(double value, std::int64_t record = -1);
MetricValue infinite_value();

/// Sets one metric of a map in a result that holds all metrics.
void set_metric(MapComparison& map, std::string_view metric, const MetricValue& value);

/// A result with all metrics in which a chain of operators follows one graph input: `names[0]` is the input, the rest are operators
/// of type CONV_2D. All values undefined; the last operator is the graph's output.
CompareResult chain_result(const std::vector<std::string>& names);

/// A small but complete result: input, CONV_2D, SPLIT with two outputs, ARG_MAX (integer), a map that was not compared, a second
/// subgraph, anomalies, an unpaired tensor, an operator that could not be run.
CompareResult complete_result();

/// Names that hurt: quotes, markup, newlines, control characters, broken UTF-8, formulas.
const std::vector<std::string>& hostile_names();

}  // namespace visq::testing
