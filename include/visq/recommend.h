// recommend: the cheapest set of fixes. First what costs nothing (ranges, zero points, biases, weights: a repaired model), then which
// operators to give another precision, as a front of error over cost: a higher one that wins accuracy, or a lower one that saves bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visq/accuracy.h"
#include "visq/diagnose.h"
#include "visq/quantizer_config.h"

namespace visq {

/// Hands the float model's outputs of all labelled records, some of it quantized, to a sink.
using SendOutputs = std::function<Status(MapSink& sink)>;

/// What operators can become.
struct PrecisionKind {
  std::string_view name;                                             ///< "float32", "int16", "int4", "int4-block32" …
  std::string_view description;                                      ///< one line
  int weight_bits = 0;                                               ///< 0: weights stay as they are
  int map_bits = 0;                                                  ///< of the feature maps; 0: they stay as they are
  int block = 0;                                                     ///< weights that share a scale; 0: all of an output channel
  bool saves() const { return weight_bits > 0 && weight_bits < 8; }  ///< bytes, for a loss of accuracy; the others win some, for bytes
};

/// All of them, the default first.
std::span<const PrecisionKind> precision_kinds();

struct RecommendOptions : TrialRequest {
  std::string to = "float32";         ///< what chosen operators become: PrecisionKind::name
  std::int64_t budget = -1;           ///< most bytes that constants may grow by; negative: no limit
  std::optional<double> target_sqnr;  ///< of the worst output, in dB: the search ends there
  std::optional<double> target_drop;  ///< of accuracy, in points; needs labels or a judge
  RepairRecords repairs;
  std::int64_t sequence_length = 0;  ///< as SequenceOptions::length, for models that keep state
  RecordSource* whole = nullptr;     ///< all the data, over which the outputs are told before and after the repairs; null: they are not
  RecordRange whole_records;
  RecordSource* labelled = nullptr;  ///< data that accuracy is measured on; null: it is not
  RecordRange labelled_records;
  std::vector<std::int64_t> labels;  ///< of record i of `labelled`: labels[i]
  std::int64_t label_offset = 0;     ///< the class of label l is element l + label_offset of the first output
  std::string output_node;           ///< as in AccuracyOptions, but a graph output
  /// Instead of labels: a number, the higher the better, for the outputs that it asks for. Numbers up to 1 are shares.
  std::function<Result<double>(const SendOutputs& send)> judge;
};

/// A fix that needs no new calibration, applied to the quantized model.
struct AppliedRepair {
  Finding finding;  ///< its gain is what it won on top of those before it
  double sqnr = 0;  ///< of the worst output once it is applied
};

/// A set of operators in another precision, on top of all repairs. Operators are the float model's. A feature map has the precision of the
/// operator that makes it; where a reader has another one, it reads a copy. The model's inputs have it where all that read them have it,
/// its outputs where all that make them do.
struct PrecisionPoint {
  std::vector<int> operators;           ///< in the order in which they were chosen
  std::int64_t added_bytes = 0;         ///< of constants; negative: saved
  std::int64_t added_map_bytes = 0;     ///< of the maps of one run: wider ones, and the copies at borders between precisions
  int conversions = 0;                  ///< operators QUANTIZE and DEQUANTIZE at these borders
  double added_mac_bits = 0;            ///< multiply-adds times bits of weights times bits of activations
  double predicted_sqnr = 0;            ///< worst output, as the search on a few records has it
  double sqnr = 0;                      ///< worst output, simulated on all records, those of repairs too
  std::optional<double> accuracy_drop;  ///< points; where there are labels or a judge
};

/// The worst output that may be expected of a set in another build, by simulation. Where small disturbances of the inputs make it worse, it
/// is their mean: the figure of a set that was chosen on these very records is in part luck.
struct Promise {
  double sqnr = 0;           ///< in dB
  double low = 0, high = 0;  ///< over the disturbances
  bool steady = true;        ///< these lose nothing: all three are one
};

struct RecommendResult : PairIdentity {
  std::string to;
  Mode repair_mode = Mode::kInteger;         ///< in which repairs were measured
  Judgement judgement;                       ///< records that repairs were judged on
  double sqnr_before = 0;                    ///< worst output of the model as it is, in that mode, over these
  std::vector<std::string> outputs;          ///< of the quantized model, as far as they are compared
  std::vector<std::string> output_displays;  ///< parallel to outputs: short, for people (see display_names)
  WholeSqnr whole, whole_repaired;           ///< these over RecommendOptions::whole, before and after all repairs
  std::vector<GlobalRemark> remarks;         ///< why nothing is repaired
  bool doubtful = false;                     ///< since models and data do not belong together: no set is looked for either
  std::vector<AppliedRepair> repairs;
  double weight_bytes = 0, mac_bits = 0;  ///< of the quantized model, to compare costs with
  std::size_t operators = 0;              ///< that can have the other precision: quantized ones for which there is a kernel
  std::vector<PrecisionPoint> front;      ///< the first has no operator, each has more than the one before it
  std::size_t chosen = 0;                 ///< index into front
  std::string choice;                     ///< why, in words
  Promise unrepaired;                     ///< the chosen set without the repairs: what a quantizer that calibrates as before makes of it
  QuantizerConfig config;                 ///< of the chosen point
  bool target_met = true;
  std::string repaired_model;  ///< bytes of a model file with all repairs; empty: nothing was repaired
};

/// Errors: those of diagnose(); kUsage where labels do not reach, for an unknown precision, or a budget for one that saves bytes;
/// kBadInput where no operator can have that precision.
Result<RecommendResult> recommend(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const RecommendOptions& options);

}  // namespace visq
