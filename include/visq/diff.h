// diff: two results of compare held against each other: what got worse, and by how much?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"

namespace visq {

/// What results are compared by: all_metrics(), then "differing_share" (of index maps) and "accuracy_drop" (percentage points).
const std::vector<MetricInfo>& diff_metrics();

/// One feature map of a result, or one of its outputs.
struct StoredMap {
  int subgraph = 0, index = 0;                     ///< operator index, -1 for a graph input
  std::string name, op;                            ///< the reference's; valid UTF-8
  std::vector<std::optional<MetricValue>> values;  ///< parallel to diff_metrics(); nothing where the run did not ask for the metric
  std::string display = {};                        ///< short, for people; empty where the result does not say it
};

/// What is kept of a result of compare, be it fresh or read from a file.
struct StoredResult : PairIdentity {
  std::string path;                       ///< of the file; empty: a fresh one
  std::vector<StoredMap> nodes, outputs;  ///< the accuracy counts as one more output
};

/// Whether two results are of the same records of the same data, as far as they say.
bool same_records(const StoredResult& a, const StoredResult& b);

/// What of a fresh result can be compared with a stored one.
StoredResult stored(const CompareResult& result);

/// The entry among a result's outputs that stands for its accuracy. `output`: the one that holds the classes; empty: a program said so.
StoredMap stored_accuracy(const std::string& output, double drop);

/// By how much a metric may be worse than before.
struct Allowance {
  double amount = 0;      ///< not negative
  bool absolute = false;  ///< in the metric's own unit (dB for SQNR and PSNR); otherwise a share of |before|
};

/// What each metric is allowed.
struct Tolerance {
  double share = 0;                   ///< of |before|: for metrics that have no allowance of their own
  std::map<int, Allowance> own = {};  ///< by index into diff_metrics()
  Allowance of(int metric) const;
};

enum class Change : std::uint8_t { kSame, kBetter, kWorse };

/// A metric of a map, before and after.
struct Difference {
  bool output = false;
  StoredMap map;   ///< the later one, without its values
  int metric = 0;  ///< index into diff_metrics()
  MetricValue before, after;
  Change change = Change::kSame;
  double relative = 0;  ///< by what share of |before| it got worse; negative: better; NaN where there is no such number
};

struct DiffResult {
  StoredResult before, after;  ///< without nodes and outputs
  Tolerance tolerance;
  std::vector<Difference> differences;                        ///< worse and better ones: outputs, then nodes, in the later result's order
  std::int64_t nodes = 0, nodes_worse = 0, nodes_better = 0;  ///< compared; with a worse metric; with better ones only
  std::int64_t outputs = 0;
  std::vector<std::string> only_before, only_after;  ///< names of nodes and outputs without partner
};

/// The value of a metric beyond which a later one is worse: `before` worsened by what is allowed. A value without any error allows 1e-12
/// at least: that much error, or as noise-to-signal ratio (120 dB).
double worst_allowed(const MetricInfo& metric, const MetricValue& before, const Allowance& allowance);

/// Compares maps by subgraph and name, in order where a name comes more than once, in every metric that both results have. A value that is
/// no longer defined is worse; one that was not defined is passed over.
DiffResult diff(const StoredResult& before, const StoredResult& after, const Tolerance& tolerance);

}  // namespace visq
