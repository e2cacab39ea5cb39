// Sequences: records that build on each other, because a model keeps state of its own, or because outputs are fed back into inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/tensor.h"

namespace visq {

/// The value of a graph output in one record is that of a graph input in the next. Names are those of either model of a pair.
struct FeedBack {
  std::string output, input;
};

/// What the fed-back inputs of a model and of its twin hold at one place of a sequence: one array per entry of SequenceOptions::feed_back.
struct FedBackState {
  std::vector<Array> model, twin;
};

struct SequenceOptions {
  std::vector<FeedBack> feed_back;
  std::vector<Array> state;  ///< what each fed-back input starts a sequence with, as data would give it; empty: zeros
  std::string state_file;    ///< where that comes from, for results
  /// Records whose index in the data is a multiple of it start afresh, also for state that models keep themselves. 0: one sequence. The
  /// first record of a run always starts afresh.
  std::int64_t length = 0;
  /// What sequence i (records i * length …) starts with, in place of `state`, each model with its own; null: `state`.
  std::shared_ptr<const std::vector<FedBackState>> starts;
  /// Called with what the last record of a sequence has fed back; its `model` and `twin` may be moved from. May be empty. Sequences without
  /// a length never end.
  std::function<void(std::int64_t sequence, FedBackState&& state)> ended;
};

/// What a result says of the sequences that its records were run as: the options in the words of the command line, to run it again.
struct SequenceIdentity {
  std::vector<std::string> feed_back;  ///< "OUTPUT=INPUT"
  std::string state_file;              ///< empty: zeros
  std::int64_t length = 0;             ///< 0: one sequence

  bool operator==(const SequenceIdentity&) const = default;
};

SequenceIdentity identity(const SequenceOptions& options);

/// What a text of the command line names: "OUTPUT=INPUT"; with one "*" on each side every output that fits and the input whose name has the
/// same part in place of its "*"; without "=" the inputs of the same names. Of `twin` (may be null) outputs count where none of `model`
/// fits. Errors: kUsage where the text is none of these, or nothing fits.
Result<std::vector<FeedBack>> feed_backs(const Model& model, const Model* twin, const std::string& text);

/// The fed-back inputs as positions among the inputs of `model`, one per entry of options.feed_back. `twin`: the other model of a pair, or
/// null. Errors: kUsage where a name is none, an input is fed back to twice, or an output does not fit its input.
Result<std::vector<int>> fed_back_inputs(const Model& model, const Model* twin, const SequenceOptions& options);

}  // namespace visq
