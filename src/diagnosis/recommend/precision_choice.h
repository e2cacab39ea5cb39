// Which of the sets that were found are worth showing, and which of these is recommended.
#pragma once

#include <vector>

#include "visq/recommend.h"

namespace visq::diagnosis {

/// Leaves out sets beside which a larger one is as cheap or cheaper and as good or better, and those that cost more than a smaller one and
/// are no better. What counts as cost: bytes of constants and maps, so copies at borders between precisions too.
std::vector<PrecisionPoint> front_of(std::vector<PrecisionPoint> points);

/// Fills in chosen, choice and target_met.
void choose(const RecommendOptions& options, const PrecisionKind& kind, RecommendResult& result);

}  // namespace visq::diagnosis
