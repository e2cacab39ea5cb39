// --baseline: a stored result of compare that a new one must not be worse than.
#pragma once

#include <string>
#include <vector>

#include "visq/diff.h"
#include "visq/report.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// A share of a value, not negative: "5%" or "0.05"; 0 for an empty text. Errors: kUsage.
Result<double> parse_tolerance(const std::string& text);

struct Baseline {
  StoredResult result;
  double tolerance = 0;
};

/// What the baseline came to for every feature map that both results have: a failure for each metric that is worse than it allows. Warns of
/// maps that are in the baseline only.
std::vector<ConditionOutcome> evaluate(const Baseline& baseline, const CompareResult& result, const Console& console);

}  // namespace visq::tool
