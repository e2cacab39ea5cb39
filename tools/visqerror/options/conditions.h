// --min and --max: conditions that a build server asks of a comparison.
#pragma once

#include <string>
#include <vector>

#include "visq/report.h"

namespace visq::tool {

/// One condition: a metric of some feature maps is at least (at most) a limit.
struct Condition {
  enum class Scope { kOutputs, kAny, kNodes, kAccuracyDrop };
  std::string text;  ///< as the user wrote it: "--min sqnr=20"
  bool at_least = true;
  Scope scope = Scope::kOutputs;
  std::string pattern;  ///< kNodes: name or glob
  Metric metric = Metric::kNone;
  double limit = 0;
};

/// A value as messages say it: "infinite", "undefined", or the number.
std::string describe(const MetricValue& value);

/// Parses "accuracy_drop=POINTS", "METRIC=VALUE", "any:METRIC=VALUE" (every node) or "node:GLOB:METRIC=VALUE" (some nodes). Names are
/// split off at the last `:` and `=`. `option` is "--min" or "--max". Errors: kUsage.
Result<Condition> parse_condition(const std::string& option, const std::string& text);

/// What the condition came to, for every feature map that it is about. Undefined values fail, "no error" passes --min. Index maps have no
/// metrics and are passed over; a condition that then has nothing to look at fails.
std::vector<ConditionOutcome> evaluate(const Condition& condition, const CompareResult& result);

}  // namespace visq::tool
