// What trials cost, and how threads share them.
#include <algorithm>

#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "kernels/multiply_adds.h"

namespace visq::analysis {
namespace {

/// What the cache of a core keeps from one trial to the next anyway.
constexpr std::int64_t kLightWeights = std::int64_t{256} << 10;
/// Threads share the work evenly enough where each has so many turns.
constexpr std::size_t kTurns = 4;

}  // namespace

/// Where lanes take turns: before and after each node whose weights outweigh its feature maps. Between those the maps are better used
/// again at once.
std::vector<std::size_t> TrialRunner::turns() const {
  const auto& tensors = graph_->tensors();
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < graph_->nodes().size(); ++i) {
    const Operator& op = *graph_->nodes()[i].op;
    std::int64_t weights = 0, maps = 0;
    const auto add = [&](int tensor) {
      if (tensor < 0) return;
      const auto& prepared = tensors[as_size(tensor)];
      (prepared.ahead ? weights : maps) += prepared.value.elements() * static_cast<std::int64_t>(size_of(prepared.value.dtype));
    };
    std::for_each(op.inputs.begin(), op.inputs.end(), add);
    std::for_each(op.outputs.begin(), op.outputs.end(), add);
    const bool heavy = weights > std::max(kLightWeights, maps);
    if (heavy && i > 0 && (ends.empty() || ends.back() < i)) ends.push_back(i);
    if (heavy) ends.push_back(i + 1);
  }
  if (ends.empty() || ends.back() < graph_->nodes().size()) ends.push_back(graph_->nodes().size());
  return ends;
}

/// How many of `trials` trials a thread takes at a time. To make a lane costs about what it saves on one record.
std::size_t TrialRunner::together(std::size_t trials, int threads) const {
  return base_ && records_ > 1 ? std::clamp<std::size_t>(trials / (kTurns * as_size(threads)), 1, lanes_) : 1;
}

/// Per node whether a trial may compute it: it changes there, or reads what may have changed.
std::vector<bool> TrialRunner::reached(const PartSet& trial) const {
  const auto& nodes = graph_->nodes();
  std::vector<bool> result(nodes.size(), false), changed(graph_->tensors().size(), false);
  const PartSet nothing;
  const PartSet& base = options_.base != nullptr ? *options_.base : nothing;
  const auto differ = [](const auto& a, const auto& b, const auto& key) { return a.contains(key) != b.contains(key); };
  const auto map_differs = [&](int tensor) {
    return differ(trial.activations, base.activations, tensor) || differ(trial.other_activations, base.other_activations, tensor);
  };
  for (const int input : graph_->subgraph().inputs) {
    changed[as_size(input)] = map_differs(input);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Operator& op = *nodes[i].op;
    bool touched =
        differ(trial.weights, base.weights, static_cast<int>(i)) || differ(trial.other_weights, base.other_weights, static_cast<int>(i));
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      if (op.inputs[slot] < 0) continue;
      touched = touched || changed[as_size(op.inputs[slot])] ||
                differ(trial.inputs, base.inputs, std::pair(static_cast<int>(i), static_cast<int>(slot)));
    }
    for (const int output : op.outputs) touched = touched || map_differs(output);
    result[i] = touched;
    for (const int output : op.outputs) changed[as_size(output)] = touched;
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
    double work = static_cast<double>(kernels::multiply_adds(graph_->subgraph(), op).value_or(0));
    for (const int output : op.outputs) work += static_cast<double>(graph_->tensors()[as_size(output)].value.elements());
    all += work;
    mine += nodes[i] || !base_ ? work : 0;
  }
  return all > 0 ? mine / all : 1;
}

std::int64_t TrialRunner::full_steps() const { return static_cast<std::int64_t>(graph_->nodes().size()); }

}  // namespace visq::analysis
