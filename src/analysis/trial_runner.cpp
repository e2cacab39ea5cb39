#include "analysis/trial_runner.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "analysis/multiply_adds.h"
#include "analysis/record_share.h"
#include "analysis/trial_codec.h"
#include "core/error.h"
#include "core/memory_size.h"
#include "core/ranks.h"
#include "core/threads.h"

namespace visq::analysis {

using runtime::Executor;
using runtime::MemoryPlan;
using runtime::PreparedGraph;

/// What one thread runs trials with: a runner of parts, or of the whole graph.
struct TrialRunner::Worker {
  std::optional<PartialRunner> partial;
  std::unique_ptr<Executor> full;
  MapScratch scratch;

  bool available(int tensor) const { return partial ? partial->available(tensor) : full->available(tensor); }
  const kernels::Tensor& tensor(int tensor) const { return partial ? partial->tensor(tensor) : full->tensor(tensor); }
};

TrialRunner::TrialRunner(PartialModels& models, const std::vector<PartSet>& trials, TrialOptions options)
    : models_(models), trials_(trials), options_(std::move(options)), stateful_(runtime::keeps_state(models.reference())) {}
TrialRunner::~TrialRunner() = default;

Status TrialRunner::begin(const Record& record) {
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
  for (const int output : options_.outputs) hold[static_cast<std::size_t>(output)] = static_cast<int>(graph_->nodes().size());
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
  const std::uint64_t limit = options_.memory;
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
  workers_.resize(static_cast<std::size_t>(threads_));
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

Result<TrialRunner::Worker*> TrialRunner::worker(std::size_t thread, std::size_t trial) {
  auto& place = workers_[stateful_ ? trial : thread];
  if (place) return place.get();
  auto made = std::make_unique<Worker>();
  if (base_) {
    VISQ_ASSIGN(auto runner, PartialRunner::create(graph_, options_.outputs));
    made->partial.emplace(std::move(runner));
  } else {
    VISQ_ASSIGN(auto executor, Executor::create(graph_, plan_));
    made->full = std::make_unique<Executor>(std::move(executor));
  }
  place = std::move(made);
  return place.get();
}

Result<TrialRecord> TrialRunner::run_trial(std::size_t thread, std::size_t trial) {
  VISQ_ASSIGN(Worker* const worker, this->worker(thread, trial));
  VISQ_ASSIGN(const auto overlay, models_.parts().overlay(trials_[trial], *graph_));
  TrialRecord record;
  if (worker->partial) {
    VISQ_TRY(worker->partial->run(*base_, overlay));
    record.steps = worker->partial->steps();
  } else {
    VISQ_TRY(worker->full->begin(inputs_, &overlay));
    VISQ_TRY(worker->full->run_from(0));
    record.steps = full_steps();
  }
  for (const int output : options_.outputs) record.outputs.push_back(measure(*worker, output, worker->scratch));
  if (worker->full) worker->full->clear(nullptr);  // the overlay ends here
  return record;
}

OutputRecord TrialRunner::measure(const Worker& worker, int output, MapScratch& scratch) const {
  OutputRecord result;
  if (!reference().available(output) || !worker.available(output)) {
    result.not_compared = "not computed";
    return result;
  }
  kernels::Tensor quantized = worker.tensor(output);
  const auto& grids = models_.parts().activations();
  if (const auto grid = grids.find(output); grid != grids.end()) quantized.info = grid->second;  // for metrics in units of the scale
  const MapRecord map = compare_tensors(reference().tensor(output), quantized, 0, false, scratch);
  result.stats = map.stats;
  result.differing = map.differing;
  result.integer = map.integer;
  result.not_compared = map.not_compared;
  result.non_finite = std::max<std::int64_t>(0, map.stats.non_finite_q - map.stats.non_finite_f);
  return result;
}

/// The threads of one run(): each takes the next trial until there is none.
class TrialRunner::Crew {
 public:
  Crew(TrialRunner& runner, const std::vector<std::size_t>& trials, const Done& done, const std::atomic<bool>* stop)
      : runner_(runner), trials_(trials), done_(done), stop_(stop) {}

  Status work(int threads) {
    on_threads(threads, [this](int thread) { work_as(static_cast<std::size_t>(thread)); });
    if (error_) return *error_;
    return {};
  }

 private:
  void work_as(std::size_t thread) {
    while (stop_ == nullptr || !stop_->load()) {
      const std::size_t next = next_++;
      if (next >= trials_.size()) return;
      auto record = runner_.run_trial(thread, trials_[next]);
      const std::lock_guard lock(mutex_);
      if (record.ok()) {
        done_(trials_[next], std::move(record).value());
        continue;
      }
      if (!error_ || next < error_place_) error_ = record.error(), error_place_ = next;
      next_ = trials_.size();
    }
  }

  TrialRunner& runner_;
  const std::vector<std::size_t>& trials_;
  const Done& done_;
  const std::atomic<bool>* stop_;
  std::atomic<std::size_t> next_{0};
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
  const auto size = static_cast<std::size_t>(ranks().size()), rank = static_cast<std::size_t>(ranks().rank());
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

/// Per node whether a trial may compute it: it changes there, or reads what may have changed.
std::vector<bool> TrialRunner::reached(const PartSet& trial) const {
  const auto& nodes = graph_->nodes();
  std::vector<bool> result(nodes.size(), false), changed(graph_->tensors().size(), false);
  const PartSet nothing;
  const PartSet& base = options_.base != nullptr ? *options_.base : nothing;
  const auto differ = [](const auto& a, const auto& b, const auto& key) { return a.contains(key) != b.contains(key); };
  for (const int input : graph_->subgraph().inputs) {
    changed[static_cast<std::size_t>(input)] = differ(trial.activations, base.activations, input);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Operator& op = *nodes[i].op;
    bool touched = differ(trial.weights, base.weights, static_cast<int>(i));
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      if (op.inputs[slot] < 0) continue;
      touched = touched || changed[static_cast<std::size_t>(op.inputs[slot])] ||
                differ(trial.inputs, base.inputs, std::pair(static_cast<int>(i), static_cast<int>(slot)));
    }
    for (const int output : op.outputs) touched = touched || differ(trial.activations, base.activations, output);
    result[i] = touched;
    for (const int output : op.outputs) changed[static_cast<std::size_t>(output)] = touched;
  }
  return result;
}

double TrialRunner::expected_seconds(std::size_t trial) const {
  if (!base_) return reference_seconds_;
  const auto nodes = reached(trials_[trial]);
  double seconds = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) seconds += nodes[i] ? base_->seconds()[i] : 0;
  return seconds;
}

double TrialRunner::cost(std::size_t trial) const {
  const auto nodes = reached(trials_[trial]);
  double all = 0, mine = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Operator& op = *graph_->nodes()[i].op;
    double work = static_cast<double>(multiply_adds(graph_->subgraph(), op).value_or(0));
    for (const int output : op.outputs) work += static_cast<double>(graph_->tensors()[static_cast<std::size_t>(output)].value.elements());
    all += work;
    mine += nodes[i] || !base_ ? work : 0;
  }
  return all > 0 ? mine / all : 1;
}

std::int64_t TrialRunner::full_steps() const { return static_cast<std::int64_t>(graph_->nodes().size()); }

}  // namespace visq::analysis
