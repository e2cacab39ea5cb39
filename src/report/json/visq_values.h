// What a visq.json file says about the tensors of a model.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "visq/report.h"

namespace visq::report {

/// Per subgraph: name of a tensor as the graph has it, value. Errors: kBadInput where the file speaks of more subgraphs than the graph has,
/// or of no tensor that the graph knows.
Result<std::vector<std::unordered_map<std::string, double>>> values_of(const VisqFile& file, const Graph& graph);

/// The metric that a legend means; kNone where it is none of ours.
Metric metric_by_label(const std::string& label);

}  // namespace visq::report
