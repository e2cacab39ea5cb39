// What a model, or a pair of models, is fed with in a sequence: the data, and in their place the outputs that are fed back. Each model of
// a pair feeds back its own.
#pragma once

#include <initializer_list>
#include <vector>

#include "runtime/executor.h"
#include "visq/data.h"
#include "visq/sequence.h"

namespace visq::analysis {

/// What a model has fed back so far: real values (other types as they are), one per link; empty at the start of a sequence.
using KeptOutputs = std::vector<Array>;

class SequenceFeed {
 public:
  enum class Side { kModel, kTwin };

  /// The data alone, as one sequence.
  SequenceFeed(InputFeed feed) : feed_(std::move(feed)) {}  // NOLINT: an InputFeed is a SequenceFeed
  /// Errors: those of InputFeed::create and of fed_back_inputs.
  static Result<SequenceFeed> create(const Model& model, const Model* twin, const SequenceOptions& options);

  /// Whether the records have to run in order: a model keeps state, or an output is fed back.
  bool in_order(std::initializer_list<const Model*> models) const;
  /// Whether whatever was kept is to be forgotten before this record.
  bool starts_afresh(std::int64_t record) const { return length_ > 0 && record % length_ == 0; }

  /// What is kept when the sequence of this record, its first, starts; empty where it is to start with zeros or options.state.
  KeptOutputs start(Side side, std::int64_t record) const;
  /// Whether a sequence ends with this record, and somebody wants to know what it leaves.
  bool ends(std::int64_t record) const { return ended_ && length_ > 0 && (record + 1) % length_ == 0; }
  void end(std::int64_t record, FedBackState&& state) const { ended_(record / length_, std::move(state)); }

  /// The record with what was kept in place of the fed-back inputs.
  Record complete(Record record, KeptOutputs kept) const;
  /// The inputs of a model; what was kept is moved into them. Errors: those of InputFeed.
  Result<std::vector<Array>> inputs(Side side, Record record, KeptOutputs&& kept) const;
  /// What the model feeds back after the record that its executor has run. Errors: kUnsupported where it was not computed.
  Status keep(Side side, const runtime::Executor& executor, KeptOutputs& kept) const;

 private:
  struct Link {
    int position = 0;        ///< of the input in a record
    int output[2] = {0, 0};  ///< tensors, by side
    Array start;
  };

  InputFeed feed_;
  std::vector<Link> links_;
  std::int64_t length_ = 0;
  std::shared_ptr<const std::vector<FedBackState>> starts_;
  std::function<void(std::int64_t, FedBackState&&)> ended_;
};

}  // namespace visq::analysis
