// accumulate: how does error grow through a partly quantized model?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"
#include "visq/sensitivity.h"

namespace visq {

/// One thing of a sensitivity ranking, as its result names it.
struct RankedPart {
  std::string type;  ///< "node", "node+output", "weight", "activation", "input-2"
  std::string name;  ///< in the reference
};

/// What one curve quantizes, or keeps float.
struct CurveRequest {
  std::string words;  ///< "A,B,C" as a user writes it: names and globs of either model, `weight`, `activation`
  bool keep_float = false;
  std::vector<RankedPart> ranked;  ///< instead of the words' own meaning, where they stand for a ranking's worst
};

/// The nodes are those where error is measured.
struct AccumulateOptions : TrialRequest, NodeSelection {
  std::vector<CurveRequest> curves;  ///< empty: all weights, and all activations
  std::vector<Metric> metrics;       ///< the first is drawn first; empty: cosine
  bool average = false;              ///< adds means over the nodes so far
};

/// Error at one place: of an operator with several outputs that of the worst one, metric by metric.
struct AccumulatedError {
  std::vector<MetricValue> metrics;   ///< parallel to AccumulateResult::metrics, of real-valued outputs
  std::optional<double> differing;    ///< of integer and bool outputs: share of differing elements
  std::string not_compared;           ///< why some output was not compared; empty: all were
  std::vector<MetricValue> averages;  ///< with `average`: means of the metrics of the nodes up to this one; where a node has no finite
                                      ///< value, it does not enter
};

/// A graph input or an operator, by its first output.
struct AccumulatedNode {
  MapIdentity reference;
  std::optional<MapIdentity> quantized;  ///< nothing where the quantized model has no such feature map
};

struct AccumulateCurve {
  std::string label;  ///< the words as typed
  bool keep_float = false;
  std::vector<std::string> members;     ///< names in the reference of what is quantized, or kept float
  std::vector<std::string> displays;    ///< parallel to members: short, for people (see display_names)
  std::vector<AccumulatedError> nodes;  ///< parallel to AccumulateResult::nodes
  AccumulatedError output;              ///< of the worst of the model's outputs; its averages are those of the last node
};

struct AccumulateResult : PairIdentity {
  std::vector<Metric> metrics;
  bool average = false;
  std::vector<AccumulatedNode> nodes;  ///< in graph order
  std::vector<MapIdentity> outputs;    ///< the reference's graph outputs
  std::vector<AccumulateCurve> curves;
  std::vector<SensitivityGap> gaps;       ///< operators that stay float, because the graphs differ there
  std::vector<NotComputed> not_computed;  ///< operators that are not runnable
  std::vector<std::string> remarks;       ///< that the numbers are to be read with
};

/// Runs the reference with the parts of each curve quantized, and measures every node against the reference as it is.
/// Errors: kBadInput where models, data and options do not fit together, or `memory` does not hold one record; kUsage for names that
/// nothing bears.
Result<AccumulateResult> accumulate(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                    const AccumulateOptions& options);

}  // namespace visq
