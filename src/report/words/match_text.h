// How the maps of two models were paired, in a line.
#pragma once

#include <string>

#include "visq/compare.h"

namespace visq::report {

/// "29 by name, 2 by structure, 5 by weights; 3 unpaired, 1 doubtful"; kinds of evidence beyond the first two only where there are some.
std::string how_paired(const MatchReport& match);

/// By what evidence two maps were paired: "name", "weights (cosine 0.999)", "maps (correlation 0.98)".
std::string evidence_text(const MapComparison& map);

}  // namespace visq::report
