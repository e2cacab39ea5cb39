// One thread's pair of executors, stepping through records in lockstep.
#pragma once

#include <memory>
#include <vector>

#include "analysis/pairs/compare_plan.h"
#include "analysis/records/sequence_feed.h"

namespace visq::analysis {

/// Copies share their executors: a copy may take the place of the original, not work beside it.
class PairWorker {
 public:
  PairWorker(ComparePlan& plan, SequenceFeed feed) : plan_(plan), feed_(std::move(feed)) {}

  /// Runs a record; the observer sees every wanted pair of the plan, in loops' bodies at every run. Executors are rebuilt where the input
  /// shapes differ from the last record's.
  Status run(const Record& record, const runtime::Lockstep::Observer& observer);
  /// As Lockstep::measure().
  void measure(runtime::StepTimes* times) { times_ = times; }
  /// The record as run() would feed the reference with it now: with what it has fed back in place of the data.
  Record completed(const Record& record) const;
  /// In run() and after it: both executors as they are, as the record left them.
  const runtime::Lockstep& lockstep() const { return *lockstep_; }
  /// The graphs that run.
  const PairGraphs& graphs() const { return graphs_; }

 private:
  ComparePlan& plan_;
  SequenceFeed feed_;
  std::vector<Shape> shapes_;
  runtime::LockstepState state_;  ///< what a sequence of records has kept so far
  KeptOutputs kept_, quantized_kept_;
  PairGraphs graphs_;
  std::shared_ptr<runtime::Lockstep> lockstep_;
  runtime::StepTimes* times_ = nullptr;
};

}  // namespace visq::analysis
