// Trials over one record: the float graph with one set of parts quantized after the other, in parallel, each measured at the outputs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/records/map_record.h"
#include "analysis/trials/partial_models.h"
#include "analysis/trials/partial_runner.h"

namespace visq::analysis {

/// What a trial did to one output in one record.
struct OutputRecord {
  metrics::PairStats stats;     ///< real-valued outputs
  std::int64_t differing = 0;   ///< elements of integer outputs
  std::int64_t non_finite = 0;  ///< elements that are NaN or Inf with it and not in the float run
  bool integer = false;
  std::string not_compared;  ///< why not; empty where compared
};

struct TrialRecord {
  std::vector<OutputRecord> outputs;
  std::int64_t steps = 0;  ///< operators computed
};

struct TrialOptions {
  std::vector<int> outputs;       ///< tensors of the float graph that are measured
  const PartSet* base = nullptr;  ///< what is quantized in the run that trials start from; null: nothing
  int threads = 1;
  std::uint64_t memory = 0;                        ///< bytes for feature maps; 0: no limit
  std::function<void(const std::string&)> remark;  ///< told where memory decides how trials are run
  std::int64_t sequence_length = 0;                ///< as SequenceOptions::length
  bool divergence = true;                          ///< measure KL, too
};

/// Where the maps of a whole record fit into memory, trials compute only what they change, a few of them node by node together: so weights
/// that several trials need are read once. Where they do not, and for models that keep
/// state from record to record, every trial runs the whole graph; the numbers are the same to the bit.
class TrialRunner {
 public:
  /// Everything must outlive it.
  TrialRunner(PartialModels& models, const std::vector<PartSet>& trials, TrialOptions options);
  ~TrialRunner();

  /// The runs that trials are compared with and start from. Records of models that keep state must come in order.
  /// Errors: kBadInput where the record does not fit the model, or memory does not hold the feature maps of a single run.
  Status begin(const Record& record);

  /// Runs these trials on the record, shared between the ranks of a job, which all learn of all; `done` is called by one thread at a time,
  /// in any order. Ends early where `stop` is set. Errors: that of the first trial (by index) that failed.
  using Done = std::function<void(std::size_t trial, TrialRecord&& record)>;
  Status run(const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop);

  /// Seconds that a trial is going to take on one thread, as the last begin() suggests.
  double expected_seconds(std::size_t trial) const;
  /// Operators that a trial may reach, of those of the whole graph weighed by their arithmetic: 0 to 1. The same in every run.
  double cost(std::size_t trial) const;
  /// Operators that a full run computes.
  std::int64_t full_steps() const;
  int threads() const { return threads_; }

 private:
  /// Weights are read once for so many trials; with more, their feature maps push each other out of the cache.
  static constexpr std::size_t kLanes = 3;
  struct Lane;
  struct Worker;
  class Crew;
  void forget();
  Status use_graph(std::shared_ptr<const runtime::PreparedGraph> graph);
  Status choose_way();
  Status make_reference();
  Result<Worker*> worker(std::size_t thread, std::size_t trial, std::size_t lanes);
  std::vector<std::size_t> turns() const;
  std::size_t together(std::size_t trials, int threads) const;
  Status run_here(const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop);
  Status run_shared(const std::vector<std::size_t>& trials, const Done& done);
  std::vector<Result<TrialRecord>> run_trials(std::size_t thread, std::span<const std::size_t> trials);
  std::vector<Result<TrialRecord>> run_lanes(Worker& worker, std::span<const std::size_t> trials);
  Status start(Lane& lane, std::size_t trial) const;
  Result<TrialRecord> run_full(Worker& worker, std::size_t trial);
  template <class Run>
  TrialRecord measured(const Run& run, std::int64_t steps, MapScratch& scratch) const;
  template <class Run>
  OutputRecord measure(const Run& run, int output, MapScratch& scratch) const;
  const runtime::Executor& reference() const { return reference_ ? *reference_ : base_->maps(); }
  std::vector<bool> reached(const PartSet& trial) const;

  PartialModels& models_;
  const std::vector<PartSet>& trials_;
  TrialOptions options_;
  bool stateful_;

  std::shared_ptr<const runtime::PreparedGraph> graph_;
  std::shared_ptr<const runtime::MemoryPlan> plan_;  ///< of runs that keep nothing but the outputs
  std::vector<Array> inputs_;
  runtime::Overlay base_overlay_;
  std::unique_ptr<FloatRun> base_;                ///< null where every trial runs the whole graph
  std::unique_ptr<runtime::Executor> reference_;  ///< the float run, where the base is another
  double reference_seconds_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< per thread; of models that keep state per trial
  int threads_ = 1;
  std::int64_t records_ = 0;        ///< begun
  std::size_t lanes_ = 1;           ///< trials that one thread runs together
  std::vector<std::size_t> turns_;  ///< the nodes before which the next of them has its turn, and the number of nodes
};

}  // namespace visq::analysis
