// What every run over data is asked for. The options of each question are built on one of these and add what is their own; the models and
// the data are arguments of the function that runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/mode.h"
#include "visq/pairing.h"
#include "visq/sequence.h"

namespace visq {

/// Told how much of a run is done, of how much in all: records, or trials where it says so. Called from one thread at a time.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A run over records.
struct RunRequest {
  RecordRange records;  ///< must lie within the data
  int threads = 0;      ///< 0: all cores
  Progress progress;
  std::vector<PairRule> pairs;              ///< of two models: what is known about which maps belong together, see judge_pairs()
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler or another thread: end early, with a result that says so
};

/// A run whose records may build on each other.
struct SequenceRequest : RunRequest {
  SequenceOptions sequence;
};

/// A run of a reference and its quantized twin in lockstep.
struct PairRunRequest : SequenceRequest {
  Mode reference_mode = Mode::kFp32, quantized_mode = Mode::kFakeQuant;
  bool modes_given = false;  ///< the user chose the modes: a quantized reference is meant, not models in the wrong order
};

/// Trials of a reference that is quantized in parts.
struct TrialRequest : RunRequest {
  std::uint64_t memory = 0;  ///< bytes for feature maps of all threads; 0: no limit
};

/// Which nodes to look at. A node must fit both.
struct NodeSelection {
  std::vector<std::string> nodes;  ///< name globs of either model; empty: all
  std::vector<std::string> ops;    ///< operator types; empty: all
};

}  // namespace visq
