// One thread's executor of one model, which shows every feature map of a record as soon as it is made.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/records/sequence_feed.h"

namespace visq::analysis {

/// Copies share their executor: a copy may take the place of the original, not work beside it.
class ModelRunner {
 public:
  ModelRunner(std::shared_ptr<const Model> model, Mode mode) : model_(std::move(model)), mode_(mode) {}

  /// Called for graph inputs, every operator's outputs, and graph outputs that no operator makes, each once; for those of called subgraphs
  /// once per run of theirs. The executor's graph says which subgraph it is.
  using Observer = std::function<Status(int tensor, const runtime::Executor& executor)>;
  Status run(const std::vector<Array>& inputs, const Observer& observer);
  /// Forgets what the records so far have left behind.
  void forget();
  /// The same with the inputs that a feed gives for a record, whose side of the pair this model is.
  Status run(const Record& record, const SequenceFeed& feed, SequenceFeed::Side side, const Observer& observer);
  /// Called behind every operator, those of called subgraphs included, with the time that it took itself.
  using Clock = std::function<void(std::size_t node, const runtime::Executor& executor, double seconds)>;
  Status time(const std::vector<Array>& inputs, const Clock& clock);

  /// After run(): the executor with the record's last state.
  const runtime::Executor& executor() const { return *executor_; }

 private:
  Status prepare(const std::vector<Array>& inputs);
  Status watch(runtime::Executor& executor, const Observer& observer) const;
  Status time(runtime::Executor& executor, const Clock& clock) const;

  std::shared_ptr<const Model> model_;
  Mode mode_;
  std::vector<Shape> shapes_;
  std::shared_ptr<runtime::RunState> state_ = std::make_shared<runtime::RunState>();  ///< what a sequence of records has kept so far
  KeptOutputs kept_;
  std::shared_ptr<runtime::Executor> executor_;
};

}  // namespace visq::analysis
