// Where the time of a run in lockstep goes: a sum of times per operator type.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/lockstep.h"
#include "visq/run_watch.h"

namespace visq::analysis {

/// Shared by the threads of a run.
class OperatorClock {
 public:
  /// Measures the machine, in some 20 ms: before the run, since what that takes would else count towards its peak of memory.
  OperatorClock();
  /// Adds what the last record took, by `times`.
  void add(const runtime::Lockstep& lockstep, const runtime::StepTimes& times);
  /// Means over all records that were added.
  RunCosts costs() const;

 private:
  struct Side {
    std::vector<OperatorCost> types;
    void add(const runtime::Executor& executor, const std::vector<double>& seconds, bool first);
    std::vector<OperatorCost> mean(std::int64_t records) const;
  };
  mutable std::mutex mutex_;
  std::int64_t records_ = 0;
  Side reference_, quantized_;
  MachineSpeed machine_;
};

}  // namespace visq::analysis
