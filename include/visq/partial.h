// partial: how many nodes must stay float?
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/accumulate.h"
#include "visq/sensitivity.h"

namespace visq {

/// Why the nodes of a partial run were picked.
enum class PickedBy : std::uint8_t {
  kThreshold,  ///< their cosine alone is below the threshold
  kWorst,      ///< nothing is below the threshold (or the ranking has no cosine): the worst there are
  kNames,      ///< the user named them
};

/// "threshold", "worst", "names".
std::string_view name(PickedBy by);

/// A ranking as read from a file.
struct Ranking {
  struct Entry {
    RankedPart part;
    double cosine = 0;  ///< NaN where the ranking has none
  };
  std::string path;
  std::vector<Entry> entries;  ///< most sensitive first
  bool has_cosine = false;     ///< of one thing quantized alone
};

/// Nodes taken where none is below the threshold.
inline constexpr std::size_t kWorstTaken = 10;
inline constexpr double kPickThreshold = 0.999;

/// Of nodes that are named, all are taken; without names, by threshold. Progress counts the trials of the second part of the run.
struct PartialOptions : TrialRequest, NodeSelection {
  double pick_threshold = kPickThreshold;
  const Ranking* ranking = nullptr;  ///< instead of trying every node
  Progress ranking_progress;         ///< trials, of the first part
};

/// The error of the model's outputs, of the worst of them by each metric.
struct OutputError {
  std::vector<MetricValue> metrics;  ///< parallel to PartialResult::metrics
  double differing_share = 0;        ///< of integer outputs, the largest
  bool integer_outputs = false;
  std::string not_compared;  ///< why some output was not compared; empty: all were
};

struct PartialStep {
  SensitivePart part;
  OutputError alone;       ///< this one quantized, everything else float
  OutputError kept_float;  ///< this one and all before it float, everything else quantized
};

struct PartialResult : PairIdentity {
  std::vector<Metric> metrics;  ///< cosine, mse, sqnr
  PickedBy picked_by = PickedBy::kThreshold;
  double pick_threshold = kPickThreshold;
  std::string ranking;               ///< path of the ranking; empty: none was given
  std::size_t candidates = 0;        ///< things that the picks were chosen from
  std::vector<MapIdentity> outputs;  ///< what was measured
  OutputError none;                  ///< everything quantized
  std::vector<PartialStep> steps;    ///< the most sensitive first
  std::vector<SensitivityGap> gaps;
  std::vector<std::string> remarks;  ///< that the numbers are to be read with
};

/// Ranks nodes by what they do to the output alone, then keeps them float one after the other.
/// Errors: those of sensitivity(); kBadInput for a ranking of another model.
Result<PartialResult> partial(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const PartialOptions& options);

}  // namespace visq
