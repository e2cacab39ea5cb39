// merge: results of runs over parts of the records, joined into what one run over all of them gives, to the bit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/badcase.h"
#include "visq/compare.h"

namespace visq {

/// A run over a part of the records, as its result file tells.
struct Part : PairIdentity {
  std::string path;                  ///< of the file, for messages
  bool badcase = false;              ///< of badcase, otherwise of compare
  std::vector<Metric> metrics;       ///< of compare: those computed; of badcase: those that say what is worst
  std::optional<Accuracy> accuracy;  ///< of compare
  RecordSums sums;
};

/// Parts of runs that differ in nothing but their records, in the order of records. Errors: kBadInput naming both files where they do not
/// fit together: other data or options, records that overlap or leave a gap.
Result<std::vector<Part>> in_order(std::vector<Part> parts);

/// Joins parts that in_order() gave. The models are those that were run. Errors: kBadInput where the sums are not of these models.
Result<CompareResult> merge_comparisons(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                        const std::vector<Part>& parts);
Result<BadcaseResult> merge_badcases(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                     const std::vector<Part>& parts);

}  // namespace visq
