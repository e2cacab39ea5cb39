// Folds the three errors of one pair of maps over all records, and says what follows from them.
#pragma once

#include <string>
#include <vector>

#include "analysis/origin/origin_errors.h"
#include "analysis/origin/origin_plan.h"
#include "analysis/records/comparison_sum.h"

namespace visq::analysis {

class OriginSum {
 public:
  /// `pair` must outlive it.
  explicit OriginSum(const OriginPair& pair) : pair_(&pair) {}

  /// Adds a record's sums, one per run of the map's subgraph; records come in ascending order.
  void add(const std::vector<OriginRecord>& runs);
  /// All but `inputs` and `output_share`. `sum` and `map`: of the same pair.
  ErrorOrigin finish(const ComparisonSum& sum, const MapComparison& map) const;
  /// Pairs whose maps the reference's operators read.
  const std::vector<std::size_t>& inputs() const { return pair_->inputs; }

 private:
  const OriginPair* pair_;
  OriginRecord sums_;
  std::int64_t runs_ = 0;
};

/// What the three errors of a map say of it beyond its own verdict; empty where they say nothing. `maps`: all of the result.
std::string verdict_of(const MapComparison& map, const std::vector<MapComparison>& maps);

/// Fills in ErrorOrigin::output_share of all maps of the main graph.
void estimate_output_shares(CompareResult& result);

}  // namespace visq::analysis
