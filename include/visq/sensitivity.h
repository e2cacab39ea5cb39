// sensitivity: which thing alone, quantized, hurts the model's output?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visq/compare.h"

namespace visq {

/// What "one thing" is.
enum class SensitiveType : std::uint8_t {
  kOutput,      ///< an operator's quantized constants and its outputs, for all their readers; or a graph input
  kNode,        ///< an operator's quantized inputs and constants
  kNodeOutput,  ///< the same, and its outputs for all their readers
  kWeight,      ///< an operator's quantized constants
  kActivation,  ///< one quantized feature map, for all its readers
  kInput,       ///< one quantized input of an operator, for this operator alone
};

/// "output", "node", "node+output", "weight", "activation", "input-n"; as results name one input: "input-0" (see sensitive_type()).
std::string_view name(SensitiveType type);

/// One thing that can be quantized alone, in the words of results. Operators are named by their first output.
struct SensitivePart {
  SensitiveType type = SensitiveType::kOutput;
  int slot = -1;                       ///< kInput: which of the operator's inputs
  MapIdentity reference, quantized;    ///< the feature map, or the operator's first output; node -1: a graph input
  std::vector<std::string> consumers;  ///< who reads it in the reference: operators by their first output, in graph order
  std::string quant_dtype;             ///< stored type; several different ones joined by "/", inputs before constants
  double threshold = 0;                ///< largest |value| that it can represent, over all channels (of inputs, where it has any)
  int bits = 0;                        ///< of its narrowest stored type
  std::int64_t flops = 0;              ///< of the operator; of a feature map: of its consumers. 2 per multiply-add (see multiply_adds)
  double flops_share = 0;              ///< of all operators of the main graph; 0 where there are none
};

/// "node", "weight", "input-2" …
std::string sensitive_type(const SensitivePart& part);

/// Names may be those of weights too; a name fixes its own type. Progress counts trials.
struct SensitivityOptions : TrialRequest, NodeSelection {
  std::vector<SensitiveType> types;              ///< empty: output
  std::vector<int> input_slots;                  ///< with kInput: only these; empty: all
  std::vector<Metric> metrics;                   ///< the first sorts; empty: mse
  std::string output_node;                       ///< feature map to measure instead of the model's outputs; empty: all outputs, the worst
  bool leave_one_out = false;                    ///< everything quantized but one thing
  bool estimate = false;                         ///< few records first, then only the contenders
  int top = 10;                                  ///< ranks that an estimate is to find
  bool reverse = false;                          ///< least sensitive first
  std::int64_t sequence_length = 0;              ///< as SequenceOptions::length, for models that keep state
  std::function<void(double seconds)> expected;  ///< told once, early, how long it will take
  std::string resume;                            ///< a state that `checkpoint` was given; empty: from the start
  std::function<Status(const std::string& state)> checkpoint = {};  ///< given the state now and then, and when stopped
};

/// One trial: one thing quantized (or left out), and what that does to the output.
struct Sensitivity {
  SensitivePart part;
  std::vector<MetricValue> metrics;  ///< parallel to SensitivityResult::metrics; of the worst output by each
  double differing_share = 0;        ///< of integer outputs, the largest
  bool integer_outputs = false;
  std::int64_t non_finite = 0;      ///< elements of the outputs over all records that are NaN or Inf with it and not in the float run
  std::string not_compared;         ///< why some output was not compared; empty: all were
  std::int64_t records = 0;         ///< that it was measured on: fewer than the result's with --estimate
  int rank = 0;                     ///< from 1, 1: the most sensitive
  int rank_low = 0, rank_high = 0;  ///< interval of the rank (see rank_interval); 0: unknown, as with only one record
};

/// Something of the quantized model that cannot be quantized alone, because the graphs differ there.
struct SensitivityGap {
  MapIdentity map;  ///< of the quantized model
  std::string reason;
};

struct SensitivityResult : PairIdentity {
  std::vector<SensitiveType> types;
  std::vector<Metric> metrics;
  bool leave_one_out = false, estimate = false, reverse = false;
  std::vector<MapIdentity> outputs;        ///< what was measured
  std::vector<Sensitivity> nodes;          ///< by rank, from 1 on; with `reverse` from the last on
  std::vector<MetricValue> all_quantized;  ///< everything quantized at once, parallel to metrics
  std::vector<SensitivityGap> gaps;
  std::vector<std::string> remarks;  ///< that the numbers are to be read with
  std::string rank_interval;         ///< how intervals of ranks were found; empty: there are none
  double computed_share = 0;         ///< operators computed, of those that full runs for every trial would have computed
  double estimate_share = 1;         ///< trials done, of those that the full ranking takes
};

/// Errors: kBadInput where models, data and options do not fit together, or where `memory` does not hold the feature maps of one record
/// (the message names the number that would); kUsage where nothing fits `nodes` and `ops`.
Result<SensitivityResult> sensitivity(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                      const SensitivityOptions& options);

}  // namespace visq
