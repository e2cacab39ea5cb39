// badcase: which records are the two models furthest apart on?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"

namespace visq {

struct BadcaseOptions : PairRunRequest {
  std::vector<Metric> by;                 ///< metrics that say what is worst; empty: atol
  std::vector<std::string> nodes;         ///< name globs; empty: the reference's outputs
  PostProcess post = PostProcess::kNone;  ///< what the models' outputs go through before they are compared
  bool per_record = false;                ///< keep what merge() needs
  /// Called whenever some record is the worst so far for some output and metric, with all that are now (ascending, each once).
  std::function<Status(const std::vector<Record>& worst)> on_new_worst;
};

/// The worst record for one output and one metric. A record with NaN or Inf is worse than any number; of equal ones the first.
struct BadCase {
  std::size_t output = 0;         ///< index into BadcaseResult::outputs
  Metric metric = Metric::kNone;  ///< kNone for an integer output, judged by the share of differing elements
  std::int64_t record = -1;
  std::vector<MetricValue> values;  ///< of this output in this record, all metrics in the order of all_metrics()
  double differing_share = 0;       ///< integer outputs
  std::int64_t non_finite = 0;      ///< elements of both models' outputs
};

struct BadcaseOutput {
  MapIdentity reference, quantized;
  Shape shape;
  bool integer = false;
  std::string not_compared;  ///< why not, in the last record where it was not; empty: always compared
};

struct BadcaseResult : PairIdentity {
  std::vector<Metric> by;
  std::vector<BadcaseOutput> outputs;
  std::vector<BadCase> cases;             ///< per output, one per metric of `by`; an output that was never compared has none
  std::vector<std::size_t> worst_output;  ///< per metric of `by`: index into cases; empty where there are none
  std::optional<RecordSums> sums;         ///< with options.per_record; every record's is that of the outputs
};

/// Streams all records once; memory does not grow with their number.
/// Errors: those of compare.
Result<BadcaseResult> badcase(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const BadcaseOptions& options);

/// The `count` worst records by the first metric of options.by, worst first; a record counts as much as its worst output.
Result<std::vector<std::int64_t>> worst_records(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                RecordSource& data, const BadcaseOptions& options, std::int64_t count);

}  // namespace visq
