// recommend: the cheapest set of fixes. First what costs nothing (ranges, zero points, biases, weights: a repaired model), then which
// operators to keep in higher precision, as a front of error over cost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/accuracy.h"
#include "visq/diagnose.h"
#include "visq/quantizer_config.h"

namespace visq {

/// Hands the float model's outputs of all labelled records, some of it quantized, to a sink.
using SendOutputs = std::function<Status(MapSink& sink)>;

struct RecommendOptions : TrialRequest {
  std::string to = "float32";         ///< what chosen operators become: "float32" or "int16"
  std::int64_t budget = -1;           ///< most bytes that weights may grow by; negative: no limit
  std::optional<double> target_sqnr;  ///< of the worst output, in dB: the search ends there
  std::optional<double> target_drop;  ///< of accuracy, in points; needs labels or a judge
  RecordSource* labelled = nullptr;   ///< data that accuracy is measured on; null: it is not
  RecordRange labelled_records;
  std::vector<std::int64_t> labels;  ///< of record i of `labelled`: labels[i]
  std::int64_t label_offset = 0;     ///< the class of label l is element l + label_offset of the first output
  /// Instead of labels: a number, the higher the better, for the outputs that it asks for. Numbers up to 1 are shares.
  std::function<Result<double>(const SendOutputs& send)> judge;
};

/// A fix that needs no new calibration, applied to the quantized model.
struct AppliedRepair {
  Finding finding;  ///< its gain is what it won on top of those before it
  double sqnr = 0;  ///< of the worst output once it is applied
};

/// A set of operators in higher precision, on top of all repairs. Operators are the float model's; an operator is free of rounding in its
/// weights, a feature map where all operators that touch it are in the set.
struct PrecisionPoint {
  std::vector<int> operators;           ///< in the order in which they were chosen
  std::int64_t added_bytes = 0;         ///< of weights
  double added_mac_bits = 0;            ///< multiply-adds times bits of weights times bits of activations
  double predicted_sqnr = 0;            ///< worst output, as the search on a few records has it
  double sqnr = 0;                      ///< worst output, simulated on all records
  std::optional<double> accuracy_drop;  ///< points; where there are labels or a judge
};

struct RecommendResult : PairIdentity {
  std::string to;
  Mode repair_mode = Mode::kInteger;  ///< in which repairs were measured
  double sqnr_before = 0;             ///< worst output of the model as it is, in that mode
  std::vector<AppliedRepair> repairs;
  double weight_bytes = 0, mac_bits = 0;  ///< of the quantized model, to compare costs with
  std::size_t operators = 0;              ///< that are quantized at all
  std::vector<PrecisionPoint> front;      ///< by cost, cheapest first; the first has no operator
  std::size_t chosen = 0;                 ///< index into front
  std::string choice;                     ///< why, in words
  double unrepaired_sqnr = 0;             ///< of the chosen set without the repairs: what a quantizer that calibrates as before makes of it
  QuantizerConfig config;                 ///< of the chosen point
  bool target_met = true;
  std::string repaired_model;  ///< bytes of a model file with all repairs; empty: nothing was repaired
};

/// Errors: those of diagnose(); kUsage where labels do not reach.
Result<RecommendResult> recommend(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const RecommendOptions& options);

}  // namespace visq
