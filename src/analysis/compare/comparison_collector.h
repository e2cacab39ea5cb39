// Folds the records of a comparison, in order, into its result.
#pragma once

#include <set>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "analysis/origin/origin_sum.h"
#include "analysis/pairs/compare_plan.h"
#include "analysis/records/comparison_sum.h"

namespace visq::analysis {

/// What one record gives.
struct RecordOutput {
  std::vector<std::vector<MapRecord>> maps;  ///< per pair, one for each run of its subgraph
  std::vector<MapRecord> processed;          ///< with post-processing: per output of the plan
  OriginRecords origins;                     ///< the same, where the origin of errors was asked for
  std::vector<runtime::NodeFailure> reference_failures, quantized_failures;
  std::vector<runtime::SurplusRun> surplus;
  std::vector<TokenScore> tokens;  ///< with a TokenTask
};

class ComparisonCollector {
 public:
  /// Both must outlive it.
  ComparisonCollector(const ComparePlan& plan, const CompareOptions& options);
  Status add(std::int64_t record, RecordOutput&& output);
  /// Whether an output has the form that this comparison's have; for outputs read from files.
  bool fits(const RecordOutput& output) const;
  /// `data`: its description.
  CompareResult finish(PairIdentity identity);

 private:
  void note_failures(const Model& model, const std::vector<MapNames>& names, const std::vector<runtime::NodeFailure>& failures);
  void note_surplus(const std::vector<runtime::SurplusRun>& runs);
  void conclude_origins();
  void report_match();
  void report_unpaired_graphs(const Model& model, const std::vector<MapNames>& names, bool in_reference);

  const ComparePlan& plan_;
  const CompareOptions& options_;
  std::vector<MapNames> reference_names_, quantized_names_;  ///< per subgraph
  std::vector<std::size_t> pairs_;                           ///< positions in plan.pairs() of the pairs that are compared
  std::vector<ComparisonSum> sums_;                          ///< one for each of them
  std::vector<ComparisonSum> processed_;                     ///< with post-processing: one per output of the plan
  std::vector<OriginSum> origins_;                           ///< the same; empty unless asked for
  std::set<std::pair<const Operator*, int>> failed_;
  std::int64_t done_ = 0;
  CompareResult result_;
};

}  // namespace visq::analysis
