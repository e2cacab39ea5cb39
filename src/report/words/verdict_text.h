// The verdict on a pair in one sentence that needs no knowledge of metrics.
#pragma once

#include <string>
#include <vector>

#include "visq/verdict.h"

namespace visq::report {

/// "broken. Output prob is off by 71 % of its RMS (SQNR 3.00 dB, 64 records). The first node that far off: 4 CONV_2D conv (80 %, 1.9 dB)".
/// `columns`: how long the names of feature maps may be.
std::string verdict_sentence(const CompareResult& result, const PairVerdict& verdict, std::size_t columns);

/// The same as its one or two sentences, without what separates them.
std::vector<std::string> verdict_lines(const CompareResult& result, const PairVerdict& verdict, std::size_t columns);

}  // namespace visq::report
