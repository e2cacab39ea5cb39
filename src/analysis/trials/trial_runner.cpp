#include "analysis/trials/trial_runner.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "analysis/records/record_share.h"
#include "analysis/trials/trial_codec.h"
#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/error.h"
#include "core/memory_size.h"
#include "core/ranks.h"
#include "core/threads.h"

namespace visq::analysis {

using runtime::Executor;
using runtime::MemoryPlan;
using runtime::PreparedGraph;

/// A trial that computes only what it changes.
struct TrialRunner::Lane {
  PartialRunner runner;
  runtime::Overlay overlay;
  Status status;
};

/// What one thread runs trials with: a lane for each that it runs at a time, or a runner of the whole graph.
struct TrialRunner::Worker {
  std::vector<Lane> lanes;
  std::unique_ptr<Executor> full;
  MapScratch scratch;
};

TrialRunner::TrialRunner(PartialModels& models, const std::vector<PartSet>& trials, TrialOptions options)
    : models_(models), trials_(trials), options_(std::move(options)), stateful_(runtime::keeps_state(models.reference())) {}
TrialRunner::~TrialRunner() = default;

/// Ends a sequence: all state goes with the executors that keep it.
void TrialRunner::forget() {
  for (auto& worker : workers_) worker.reset();
  reference_.reset();
}

Status TrialRunner::begin(const Record& record) {
  ++records_;
  if (stateful_ && options_.sequence_length > 0 && record.index % options_.sequence_length == 0) forget();
  VISQ_ASSIGN(inputs_, models_.inputs(record));
  VISQ_ASSIGN(auto graph, models_.graph(inputs_));
  if (graph != graph_) VISQ_TRY(use_graph(std::move(graph)));
  VISQ_TRY(make_reference());
  if (base_) VISQ_TRY(base_->run(inputs_, &base_overlay_));
  return {};
}

Status TrialRunner::use_graph(std::shared_ptr<const PreparedGraph> graph) {
  if (stateful_ && graph_ != nullptr) {
    return bad_input("{}: keeps state from record to record, so the input shapes of all records must be the same", graph->model().path);
  }
  graph_ = std::move(graph);
  workers_.clear();
  reference_.reset();
  base_.reset();
  std::vector<int> hold(graph_->tensors().size(), -1);
  for (const int output : options_.outputs) hold[as_size(output)] = static_cast<int>(graph_->nodes().size());
  plan_ = std::make_shared<const MemoryPlan>(runtime::plan_memory(*graph_, hold));
  if (options_.base != nullptr) {
    VISQ_ASSIGN(base_overlay_, models_.parts().overlay(*options_.base, *graph_));
  }
  return choose_way();
}

/// Whether trials compute only what they change, and on how many threads, by the memory there is.
Status TrialRunner::choose_way() {
  const std::uint64_t one = plan_->arena_bytes;
  const std::uint64_t all = FloatRun::bytes(*graph_);
  const std::uint64_t reference = options_.base != nullptr ? one : 0;
  const auto wanted = static_cast<std::uint64_t>(std::max(1, options_.threads));
  const std::uint64_t limit = options_.memory == 0 ? 0 : std::max<std::uint64_t>(1, std::min(options_.memory, unclaimed_memory()));
  const auto fitting = [&](std::uint64_t taken) {
    if (limit == 0) return wanted;
    return limit > taken ? std::min(wanted, (limit - taken) / std::max<std::uint64_t>(one, 1)) : 0;
  };
  if (stateful_) {
    const std::uint64_t bytes = one * (trials_.size() + 1);
    if (limit > 0 && bytes > limit) {
      return bad_input("{}: keeps state, which takes {} for {} trials; --memory {} would do", graph_->model().path, memory_size(bytes),
                       trials_.size(), memory_size(bytes));
    }
    threads_ = static_cast<int>(wanted);
    workers_.resize(trials_.size());
    return {};
  }
  threads_ = static_cast<int>(fitting(all + reference));
  if (threads_ > 0) {
    VISQ_ASSIGN(auto run, FloatRun::create(graph_));
    base_ = std::make_unique<FloatRun>(std::move(run));
    turns_ = turns();
    const std::uint64_t per_lane = std::max<std::uint64_t>(one, 1) * static_cast<std::uint64_t>(threads_);
    const std::size_t wanted_lanes = turns_.size() > 1 ? kLanes : 1;
    lanes_ = limit == 0 ? wanted_lanes : std::min<std::uint64_t>(wanted_lanes, (limit - all - reference) / per_lane);
  } else {
    threads_ = static_cast<int>(fitting(one));
    if (threads_ == 0) {
      return bad_input("{}: the feature maps of one record do not fit into --memory {}; --memory {} would do", graph_->model().path,
                       memory_size(limit), memory_size(2 * one));
    }
    if (options_.remark) {
      options_.remark(fmt::format("--memory {} does not hold all feature maps of one record, so every trial runs the whole model; {} would",
                                  memory_size(limit), memory_size(all + reference + one)));
    }
  }
  workers_.resize(as_size(threads_));
  return {};
}

/// The float run, where no base is one.
Status TrialRunner::make_reference() {
  if (base_ && options_.base == nullptr) return {};
  if (!reference_) {
    VISQ_ASSIGN(auto executor, Executor::create(graph_, plan_));
    reference_ = std::make_unique<Executor>(std::move(executor));
  }
  const auto start = std::chrono::steady_clock::now();
  VISQ_TRY(reference_->begin(inputs_));
  VISQ_TRY(reference_->run_from(0));
  reference_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

Result<TrialRunner::Worker*> TrialRunner::worker(std::size_t thread, std::size_t trial, std::size_t lanes) {
  auto& place = workers_[stateful_ ? trial : thread];
  if (!place) place = std::make_unique<Worker>();
  while (base_ && place->lanes.size() < lanes) {
    VISQ_ASSIGN(auto runner, PartialRunner::create(graph_, options_.outputs));
    place->lanes.push_back({std::move(runner), {}, {}});
  }
  if (!base_ && !place->full) {
    VISQ_ASSIGN(auto executor, Executor::create(graph_, plan_));
    place->full = std::make_unique<Executor>(std::move(executor));
  }
  return place.get();
}

/// In the order of `trials`; the last may be an error that ends it.
std::vector<Result<TrialRecord>> TrialRunner::run_trials(std::size_t thread, std::span<const std::size_t> trials) {
  const auto worker = this->worker(thread, trials.front(), trials.size());
  if (!worker.ok()) return {worker.error()};
  if (base_) return run_lanes(**worker, trials);
  return {run_full(**worker, trials.front())};
}

std::vector<Result<TrialRecord>> TrialRunner::run_lanes(Worker& worker, std::span<const std::size_t> trials) {
  const std::span lanes(worker.lanes.data(), trials.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].status = start(lanes[i], trials[i]);
  std::size_t first = 0;
  for (const std::size_t end : turns_) {
    for (Lane& lane : lanes) {
      for (std::size_t node = first; node < end && lane.status.ok(); ++node) lane.status = lane.runner.step(node);
    }
    first = end;
  }
  std::vector<Result<TrialRecord>> records;
  for (const Lane& lane : lanes) {
    if (!lane.status.ok()) {
      records.emplace_back(lane.status.error());
      break;
    }
    records.emplace_back(measured(lane.runner, lane.runner.steps(), worker.scratch));
  }
  return records;
}

Status TrialRunner::start(Lane& lane, std::size_t trial) const {
  VISQ_ASSIGN(lane.overlay, models_.parts().overlay(trials_[trial], *graph_));
  return lane.runner.begin(*base_, lane.overlay);
}

Result<TrialRecord> TrialRunner::run_full(Worker& worker, std::size_t trial) {
  VISQ_ASSIGN(const auto overlay, models_.parts().overlay(trials_[trial], *graph_));
  VISQ_TRY(worker.full->begin(inputs_, &overlay));
  VISQ_TRY(worker.full->run_from(0));
  TrialRecord record = measured(*worker.full, full_steps(), worker.scratch);
  worker.full->clear(nullptr);  // the overlay ends here
  return record;
}

template <class Run>
TrialRecord TrialRunner::measured(const Run& run, std::int64_t steps, MapScratch& scratch) const {
  TrialRecord record{{}, steps};
  for (const int output : options_.outputs) record.outputs.push_back(measure(run, output, scratch));
  return record;
}

template <class Run>
OutputRecord TrialRunner::measure(const Run& run, int output, MapScratch& scratch) const {
  OutputRecord result;
  if (!reference().available(output) || !run.available(output)) {
    result.not_compared = "not computed";
    return result;
  }
  kernels::Tensor quantized = run.tensor(output);
  const auto& grids = models_.parts().activations();
  if (const auto grid = grids.find(output); grid != grids.end()) quantized.info = grid->second;  // for metrics in units of the scale
  const MapRecord map = compare_tensors(reference().tensor(output), quantized, 0, {.output = options_.divergence}, scratch);
  result.stats = map.stats;
  result.differing = map.differing;
  result.integer = map.integer;
  result.not_compared = map.not_compared;
  result.non_finite = std::max<std::int64_t>(0, map.stats.non_finite_q - map.stats.non_finite_f);
  return result;
}

/// The threads of one run(): each takes the next few trials until there are none.
class TrialRunner::Crew {
 public:
  Crew(TrialRunner& runner, const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop)
      : runner_(runner), trials_(trials), done_(done), stop_(stop) {}

  Status work(int threads) {
    together_ = runner_.together(trials_.size(), threads);
    on_threads(threads, [this](int thread) { work_as(as_size(thread)); });
    if (error_) return *error_;
    return {};
  }

 private:
  void work_as(std::size_t thread) {
    while (stop_ == nullptr || !stop_->load()) {
      const std::size_t first = next_.fetch_add(together_);
      if (first >= trials_.size()) return;
      const std::size_t count = std::min(together_, trials_.size() - first);
      hand_over(first, runner_.run_trials(thread, std::span(trials_).subspan(first, count)));
    }
  }

  void hand_over(std::size_t first, std::vector<Result<TrialRecord>>&& records) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].ok()) {
        done_(trials_[first + i], std::move(records[i]).value());
        continue;
      }
      if (!error_ || first + i < error_place_) error_ = records[i].error(), error_place_ = first + i;
      next_ = trials_.size();
    }
  }

  TrialRunner& runner_;
  const std::vector<std::size_t>& trials_;
  const Done& done_;
  const std::atomic<bool>* stop_;
  std::atomic<std::size_t> next_{0};
  std::size_t together_ = 1;
  std::mutex mutex_;
  std::optional<Error> error_;
  std::size_t error_place_ = 0;
};

Status TrialRunner::run(const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop) {
  if (ranks().several()) return run_shared(trials, done);
  return run_here(trials, done, stop);
}

Status TrialRunner::run_here(const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop) {
  return Crew(*this, trials, done, stop).work(std::min(threads_, static_cast<int>(std::max<std::size_t>(1, trials.size()))));
}

/// A rank always does the same trials, of models that keep state too, and learns after every few of them what the others did.
Status TrialRunner::run_shared(const std::vector<std::size_t>& trials, const Done& done) {
  const auto size = as_size(ranks().size()), rank = as_size(ranks().rank());
  constexpr std::size_t kPerRank = 32;
  for (std::size_t first = 0; first < trials.size(); first += kPerRank * size) {
    const std::size_t last = std::min(trials.size(), first + kPerRank * size);
    std::vector<std::size_t> mine;
    std::copy_if(trials.begin() + static_cast<std::ptrdiff_t>(first), trials.begin() + static_cast<std::ptrdiff_t>(last),
                 std::back_inserter(mine), [&](std::size_t trial) { return trial % size == rank; });
    std::vector<std::string> block;
    const auto keep = [&](std::size_t trial, TrialRecord&& record) {
      PackWriter writer;
      writer.add(static_cast<std::uint64_t>(trial));
      pack(writer, record);
      block.push_back(writer.take());
    };
    const Status own = run_here(mine, keep, nullptr);
    VISQ_ASSIGN(const auto blocks, ranks().exchange(own.ok() ? RecordShare::pack_block(block) : RecordShare::pack_error(0, own.error())));
    if (const auto failure = RecordShare::earliest_error(blocks)) return failure->second;
    std::map<std::uint64_t, TrialRecord> measured;
    for (const std::string& each : blocks) {
      for (const std::string& bytes : RecordShare::unpack_block(each)) {
        PackReader reader(bytes);
        std::uint64_t trial = 0;
        TrialRecord record;
        if (!reader.get(trial) || !unpack(reader, options_.outputs.size(), record)) return internal_error("ranks differ in their trials");
        measured.emplace(trial, std::move(record));
      }
    }
    for (std::size_t i = first; i < last; ++i) {
      const auto found = measured.find(trials[i]);
      if (found == measured.end()) return internal_error("ranks differ in their trials");
      done(trials[i], std::move(found->second));
    }
  }
  return {};
}

}  // namespace visq::analysis
