// diagnose: why does a quantized model lose accuracy, and what is the cheapest fix?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "visq/accuracy.h"
#include "visq/check.h"
#include "visq/compare.h"
#include "visq/model.h"
#include "visq/profile.h"

namespace visq {

/// Records of the data beside RunRequest::records, in which causes are looked for. Those all judge what repairs win, since the hard ones
/// are among them; repairs are fitted to every other one, of records that build on each other to the first half.
struct RepairRecords {
  RecordRange fitted;  ///< repairs are fitted to these, too
  RecordRange judged;  ///< and judged on these
};

/// All the data, on which damage is measured, and what users judge a pair by.
struct Scoring {
  RecordSource* data = nullptr;      ///< null: that of the diagnosis, and nothing is judged
  RecordRange records;               ///< of it; the diagnosis itself may look at fewer
  std::vector<std::int64_t> labels;  ///< as in AccuracyOptions, and so the next two; empty: there are none
  std::int64_t label_offset = 0;
  std::string output_node;
  /// Instead of labels: what a program, boxes or masks say of both models' outputs; the higher, the better. Record records.first of `data`
  /// is record `first` of the data above, the others follow. Nothing where it was interrupted.
  std::function<Result<std::optional<Accuracy>>(RecordSource& data, RecordRange records, std::int64_t first)> program;

  bool judges() const { return data != nullptr && (!labels.empty() || program != nullptr); }
};

/// Progress counts all runs of the model, those with repairs included.
struct DiagnoseOptions : RunRequest {
  Scoring scoring;
  double outlier_z = 5;          ///< values beyond this many standard deviations are outliers
  double concat_ratio = 16;      ///< largest to smallest range of joined inputs from which they are unbalanced
  double last_layer_bits = 2;    ///< bits that the range of a last layer may waste
  double degrade_ratio = 0.5;    ///< share of degraded layers from which the trouble is global
  double degraded_mse = 0.1;     ///< a layer is degraded over this multiple of the variance of the reference's values …
  double degraded_cosine = 0.9;  ///< … or under this cosine …
  double degraded_sqnr = 10;     ///< … or under this SQNR in dB
  RepairRecords repairs;
  std::int64_t sequence_length = 0;  ///< as SequenceOptions::length, for models that keep state
};

/// How the reference's values that a finding is about lie in what the quantized tensor can hold.
struct ValueEvidence {
  std::string what;                      ///< "values", "weights" …
  Histogram histogram;                   ///< over all values and the whole range
  double range_low = 0, range_high = 0;  ///< of the grid
};

/// What is wrong with a tensor, why, and what repairing it wins.
struct Finding {
  int tensor = -1;  ///< of the quantized model's main graph; -1: the model as a whole
  int node = -1;    ///< operator that makes it; -1: a graph input
  std::string name, op;
  std::string display = {};    ///< of its node, short, as compare's tables show it (see display_names)
  std::string reference_name;  ///< of the reference's tensor; empty where there is none
  std::string cause;           ///< "ACT_CLIP" …
  Severity severity = Severity::kHint;
  std::string text;                                      ///< what was measured, one line
  std::vector<std::pair<std::string, double>> evidence;  ///< the numbers behind it, with thresholds
  std::optional<ValueEvidence> values;                   ///< and a picture of them, where it helps
  std::string fix;                                       ///< in words; empty where none is known
  std::string configuration;                             ///< the same as configuration
  bool tried = false;                                    ///< the fix was simulated: the next ones hold
  double gain_db = 0;                                    ///< what the fix wins at the model's outputs (SQNR; see diagnosis/what_if.h)
  /// Not the fix was simulated, but what stands in for it: the gain tells what the cause costs, and promises nothing of the fix.
  bool stands_in = false;
  std::int64_t decisions = 0, changed = 0;  ///< as in OutputDamage, with the fix, over the records of the diagnosis
  Mode mode = Mode::kInteger;               ///< in which the fix was simulated
};

/// Repairs of several causes, one upon the other, that a device can have (recommend --write-model writes them).
struct JointRepair {
  std::vector<std::string> causes;  ///< in the order of repair
  double sqnr = 0;                  ///< of the worst output then, in dB, over all records of the diagnosis
  double gain_db = 0;
};

/// How far a feature map of the quantized model is off the reference's.
struct LayerLoss {
  std::string name;          ///< of the reference's tensor
  std::string display = {};  ///< of it, short, for people (see display_names)
  int quantized_node = -1;   ///< operator that makes the quantized model's map; -1: a graph input
  double mse = 0;            ///< NaN, as the next three, where it is not defined
  double mse_limit = 0;      ///< options.degraded_mse times the variance of the reference's values
  double cosine = 0;
  double sqnr = 0;  ///< infinite: no error
  bool degraded = false;
};

/// What quantization costs at the outputs: what the task feels, not what inner maps lose.
struct OutputDamage {
  std::int64_t records = 0;
  std::int64_t decisions = 0;  ///< rows of an output that a SOFTMAX makes; 0: there is none
  std::int64_t changed = 0;    ///< of them, whose best class is another than the float model's
  std::int64_t rows = 0;       ///< records in which both models' first outputs are rows of `classes` elements, whatever makes them
  std::int64_t classes = 0;    ///< 0: there are no such rows
  std::int64_t same_best = 0;  ///< rows with the same best element
  /// Of the worst output, in dB; infinite: no error. Of rows of classes: Σf² / Σ(f−q)². Of others: the power of the float model's values
  /// about the mean of their channel (where they do not vary: their power) over that of the error; channels 16 times smaller than the
  /// largest, by their RMS, are another quantity, and count by themselves.
  double sqnr = 0;
  /// Of a model that keeps state: every record was run from a fresh state, since as one sequence they show damage and so they do not.
  bool fresh_state = false;

  double same_share() const { return rows > 0 ? static_cast<double>(same_best) / static_cast<double>(rows) : 0; }
  double changed_share() const { return decisions > 0 ? static_cast<double>(changed) / static_cast<double>(decisions) : 0; }
  /// Decisions say it where there are enough of them (50): at most 3 % changed. Else the error: at least 20 dB, a tenth of the signal.
  bool harmless() const;
};

/// Something about the run as a whole.
struct GlobalRemark {
  std::string kind;  ///< "wrong data", "unrelated weights", "degraded everywhere" …
  std::string text;
};

/// The quantized model was run in quantized_mode.
struct DiagnoseResult : PairIdentity {
  std::vector<std::string> outputs;
  std::vector<std::string> output_displays;  ///< parallel to outputs: short, for people (see display_names)
  std::vector<double> output_sqnr;           ///< in dB, before any fix, over the records that judge
  Judgement judgement;
  WholeSqnr whole;                      ///< the same over all records, in the same mode, where the caller measured it
  std::optional<Accuracy> accuracy;     ///< with options.scoring, of all records that it names
  OutputDamage damage;                  ///< no finding is more than a hint where it is harmless
  std::vector<Finding> findings;        ///< most important first
  std::optional<JointRepair> together;  ///< where several repairs win more than the first of them
  std::vector<GlobalRemark> remarks;
  std::vector<std::string> measures;  ///< what helps in general, where no finding's fix does
  std::vector<LayerLoss> losses;      ///< in graph order
  std::vector<LayerLoss> validation;  ///< the same on other data, where the caller asked layer_losses() for it
};

/// The same losses on other data, for a second degradation graph. `mode`: that of the diagnosis.
Result<std::vector<LayerLoss>> layer_losses(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                            RecordSource& data, const DiagnoseOptions& options, Mode mode);

/// Every cause that can be found, in the order of the manual's sections.
std::vector<std::string_view> all_causes();

/// Looks for causes, repairs each in memory, and runs the repaired model again.
/// Errors: kBadInput where models and data do not fit together.
Result<DiagnoseResult> diagnose(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                const DiagnoseOptions& options);

}  // namespace visq
