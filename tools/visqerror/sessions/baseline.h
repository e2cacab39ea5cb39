// --baseline: a stored result of compare that a new one must not be worse than.
#pragma once

#include <string>
#include <vector>

#include "visq/diff.h"
#include "visq/report.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// --tolerance, as often as given: a share of a value ("5%" or "0.05"), "1dB" for every metric in dB, "METRIC=5%", or "METRIC=0.001" in the
/// metric's own unit. None may be negative. Errors: kUsage.
Result<Tolerance> parse_tolerance(const std::vector<std::string>& texts);

struct Baseline {
  StoredResult result;
  Tolerance tolerance;
  bool outputs_only = false;  ///< nodes that are no outputs of the model are not judged
};

/// What the baseline came to for every feature map that both results have: one failure for a map that is worse than it allows, which names
/// SQNR, or where that holds the metric that got worse most, and lists the others. Warns of maps that are in the baseline only.
std::vector<ConditionOutcome> evaluate(const Baseline& baseline, const CompareResult& result, const Console& console);

}  // namespace visq::tool
