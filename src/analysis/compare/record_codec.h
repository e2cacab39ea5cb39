// What one record gives, as bytes: what the ranks of a job send each other, and what result files keep for merge. Exact: folding what was
// unpacked gives what folding the original gives.
#pragma once

#include <string>

#include "analysis/compare/comparison_collector.h"

namespace visq::analysis {

std::string pack(const RecordOutput& output);
/// Errors: kBadInput where the bytes are no such output.
Result<RecordOutput> unpack_output(const std::string& bytes);

/// Of each map its runs.
std::string pack(const std::vector<std::vector<MapRecord>>& maps);
Result<std::vector<std::vector<MapRecord>>> unpack_maps(const std::string& bytes);

}  // namespace visq::analysis
