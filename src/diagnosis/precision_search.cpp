#include "diagnosis/precision_search.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "kernels/multiply_adds.h"
#include "visq/run.h"

namespace visq::diagnosis {

using analysis::PartSet;
using analysis::QuantizedParts;

namespace {

/// Records of the search, steps, moves that every step measures again, sets that a search without target ends with.
constexpr std::size_t kRecordsToRank = 4;
constexpr std::size_t kMovesTried = 8, kMostSteps = 24;
/// Entries of all sets of parts that are kept at a time: some 50 MB.
constexpr std::size_t kMostEntries = std::size_t{1} << 20;
/// Operators without weights are not free: they count as this share of all weights.
constexpr double kLeastPrice = 1e-3;
/// Noise under which nothing is left to win: 80 dB.
constexpr double kNoNoise = 1e-8;
/// A move must win this share of the noise. The few records of the search may be easier than all: it goes on for so many dB beyond a
/// target.
constexpr double kLeastShare = 1e-3, kReserve = 1;

double to_decibels(double noise) { return noise > 0 ? std::min(200.0, -10 * std::log10(noise)) : 200.0; }

int bits_of(const std::string& type) { return type == "int16" ? 16 : 32; }

}  // namespace

PrecisionSearch::PrecisionSearch(analysis::PartialModels& models, RecordSource& data, const RecommendOptions& options)
    : models_(models), data_(data), options_(options) {
  for (std::int64_t record = options.records.first; record < options.records.last; ++record) all_.push_back(record);
  for (const int output : models.reference().main().outputs) {
    if (models.reference().main().tensors[as_size(output)].dtype == DType::kFloat32) outputs_.push_back(output);
  }
  find_costs();
  find_moves();
}

void PrecisionSearch::find_costs() {
  const Subgraph& graph = models_.reference().main();
  const int bits = bits_of(options_.to);
  for (const QuantizedParts::Node& node : models_.parts().nodes()) {
    const Operator& op = graph.operators[as_size(node.node)];
    Cost& cost = costs_[node.node];
    int weight_bits = 8;
    for (const int slot : node.constants) {
      const TensorInfo& stored = models_.parts().quantized_constant(node, slot);
      const int own = visq::bits(stored.dtype);
      if (own > 16) continue;  // biases stay as wide as they are
      weight_bits = own;
      cost.bytes += stored.shape.elements() * (bits - own) / 8;
      weight_bytes_ += static_cast<double>(stored.shape.elements()) * own / 8;
    }
    const int map_bits = node.inputs.empty() ? 32 : visq::bits(node.inputs.front().grid->dtype);
    const auto macs = static_cast<double>(kernels::multiply_adds(graph, op).value_or(0));
    cost.mac_bits = macs * (static_cast<double>(bits) * bits - static_cast<double>(weight_bits) * map_bits);
    mac_bits_ += macs * weight_bits * map_bits;
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const int tensor : *tensors) {
        if (tensor >= 0 && models_.parts().activations().contains(tensor)) touching_[tensor].insert(node.node);
      }
    }
  }
}

/// Single operators; the operators around a map, which is free only when all of them are; the beginning and the end of the graph, since
/// some errors vanish only with a whole stretch of it.
void PrecisionSearch::find_moves() {
  std::vector<int> all;
  for (const auto& [node, cost] : costs_) {
    moves_.push_back({{node}});
    all.push_back(node);
  }
  for (const auto& [tensor, nodes] : touching_) {
    if (nodes.size() > 1) moves_.push_back({{nodes.begin(), nodes.end()}});
  }
  for (std::size_t count = 2; count < all.size(); count *= 2) {
    const auto part = static_cast<std::ptrdiff_t>(count);
    moves_.push_back({{all.begin(), all.begin() + part}});
    moves_.push_back({{all.end() - part, all.end()}});
  }
  moves_.push_back({all});
}

PartSet PrecisionSearch::quantized_beside(const std::set<int>& kept) const {
  PartSet set = models_.parts().all();
  for (const int node : kept) set.weights.erase(node);
  for (const auto& [tensor, nodes] : touching_) {
    if (std::includes(kept.begin(), kept.end(), nodes.begin(), nodes.end())) set.activations.erase(tensor);
  }
  return set;
}

PrecisionSearch::Cost PrecisionSearch::cost_of(const std::set<int>& kept) const {
  Cost sum;
  for (const int node : kept) {
    const Cost& cost = costs_.at(node);
    sum.bytes += cost.bytes, sum.mac_bits += cost.mac_bits;
  }
  return sum;
}

double PrecisionSearch::price(const Move& move, const std::set<int>& kept) const {
  double bytes = kLeastPrice * std::max(weight_bytes_, 1.0);
  for (const int node : move.operators) bytes += kept.contains(node) ? 0.0 : static_cast<double>(costs_.at(node).bytes);
  return bytes;
}

/// Noise over signal of the worst output with each set quantized.
Result<std::vector<double>> PrecisionSearch::noises(const std::vector<PartSet>& trials, const PartSet& base,
                                                    const std::vector<std::int64_t>& records) {
  analysis::TrialOptions options;
  options.outputs = outputs_;
  options.base = &base;
  options.threads = options_.threads > 0 ? options_.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.memory = options_.memory;
  analysis::TrialRunner runner(models_, trials, options);
  std::vector<std::size_t> all(trials.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::vector<double>> signal(trials.size(), std::vector<double>(outputs_.size(), 0)), noise = signal;
  for (const std::int64_t index : records) {
    VISQ_ASSIGN(const Record record, data_.read(index));
    VISQ_TRY(runner.begin(record));
    VISQ_TRY(runner.run(
        all,
        [&](std::size_t trial, analysis::TrialRecord&& result) {
          for (std::size_t i = 0; i < result.outputs.size(); ++i) {
            const auto& stats = result.outputs[i].stats;
            signal[trial][i] += stats.sum_ff;
            noise[trial][i] += result.outputs[i].non_finite > 0 ? stats.sum_ff : stats.sum_dd;
          }
        },
        options_.stop));
  }
  std::vector<double> worst(trials.size(), 0);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (signal[t][i] > 0) worst[t] = std::max(worst[t], noise[t][i] / signal[t][i]);
    }
  }
  return worst;
}

bool PrecisionSearch::fits_budget(const Move& move, const std::set<int>& kept) const {
  std::set<int> larger = kept;
  larger.insert(move.operators.begin(), move.operators.end());
  return options_.budget < 0 || cost_of(larger).bytes <= options_.budget;
}

/// What moves [first, last) win now. Each of them quantizes nearly everything: only some of these sets are kept at a time.
Status PrecisionSearch::measure(State& state, std::size_t first, std::size_t last) {
  const PartSet base = quantized_beside(state.kept);
  const std::size_t entries = base.weights.size() + base.activations.size() + 1;
  const std::size_t at_once = std::max(kMovesTried, kMostEntries / entries);
  for (std::size_t begin = first; begin < last; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, last);
    std::vector<PartSet> trials;
    for (std::size_t i = begin; i < end; ++i) {
      std::set<int> larger = state.kept;
      larger.insert(moves_[i].operators.begin(), moves_[i].operators.end());
      trials.push_back(quantized_beside(larger));
    }
    VISQ_ASSIGN(const auto results, noises(trials, base, few_));
    for (std::size_t i = begin; i < end; ++i) moves_[i].noise_won = state.noise - results[i - begin];
  }
  return {};
}

/// Measures the most promising moves again and takes the one that wins most for its price; where none of them wins anything, the next ones.
/// False where no move does.
Result<bool> PrecisionSearch::take_best(State& state) {
  std::erase_if(moves_, [&](const Move& move) {
    const bool inside = std::all_of(move.operators.begin(), move.operators.end(), [&](int node) { return state.kept.contains(node); });
    return inside || !fits_budget(move, state.kept);
  });
  const auto worth = [&](const Move& move) { return move.noise_won / price(move, state.kept); };
  std::stable_sort(moves_.begin(), moves_.end(), [&](const Move& a, const Move& b) { return worth(a) > worth(b); });
  for (std::size_t first = 0; first < moves_.size(); first += kMovesTried) {
    const std::size_t last = std::min(first + kMovesTried, moves_.size());
    VISQ_TRY(measure(state, first, last));
    const auto best =
        std::max_element(moves_.begin() + static_cast<std::ptrdiff_t>(first), moves_.begin() + static_cast<std::ptrdiff_t>(last),
                         [&](const Move& a, const Move& b) { return worth(a) < worth(b); });
    if (best->noise_won <= kLeastShare * state.noise) continue;
    for (const int node : best->operators) {
      if (state.kept.insert(node).second) state.order.push_back(node);
    }
    state.noise -= best->noise_won;
    return true;
  }
  return false;
}

bool PrecisionSearch::done(const State& state) const {
  if (options_.stop != nullptr && options_.stop->load()) return true;
  const bool met = options_.target_sqnr && to_decibels(state.noise) >= *options_.target_sqnr + kReserve;
  return met || state.kept.size() == costs_.size() || state.noise <= kNoNoise;
}

Result<double> PrecisionSearch::simulate(const std::vector<int>& operators) {
  VISQ_ASSIGN(const auto noise, noises({quantized_beside({operators.begin(), operators.end()})}, quantized_beside({}), all_));
  return to_decibels(noise[0]);
}

/// The records with the largest error tell most; a model that keeps state needs them from the first on.
Status PrecisionSearch::choose_records() {
  const auto few = static_cast<std::ptrdiff_t>(std::min(kRecordsToRank, all_.size()));
  std::vector<std::pair<double, std::int64_t>> badness;
  const bool sequence = keeps_state(models_.reference());
  for (const std::int64_t record : all_) {
    double noise = 0;
    if (!sequence) {
      VISQ_ASSIGN(const auto noises_of_one, noises({quantized_beside({})}, quantized_beside({}), {record}));
      noise = noises_of_one[0];
    }
    badness.emplace_back(-noise, record);
  }
  std::stable_sort(badness.begin(), badness.end());
  for (auto each = badness.begin(); each != badness.begin() + few; ++each) few_.push_back(each->second);
  std::sort(few_.begin(), few_.end());
  return {};
}

Result<PrecisionSearch::State> PrecisionSearch::begin() {
  State state;
  VISQ_TRY(choose_records());
  const PartSet everything = quantized_beside({});
  VISQ_ASSIGN(const auto noise, noises({everything}, everything, few_));
  state.noise = noise[0];
  VISQ_TRY(measure(state, 0, moves_.size()));
  return state;
}

Result<std::vector<PrecisionPoint>> PrecisionSearch::run() {
  VISQ_ASSIGN(State state, begin());
  const double noise_of_all = state.noise;
  std::vector<PrecisionPoint> points(1);
  for (std::size_t step = 0; step < kMostSteps && !done(state); ++step) {
    VISQ_ASSIGN(const bool taken, take_best(state));
    if (!taken) break;
    const Cost cost = cost_of(state.kept);
    points.push_back({state.order, cost.bytes, cost.mac_bits, to_decibels(state.noise) - to_decibels(noise_of_all), 0, {}});
    if (options_.progress) options_.progress(static_cast<std::int64_t>(step + 1), static_cast<std::int64_t>(kMostSteps));
  }
  std::vector<PartSet> sets;
  for (const PrecisionPoint& point : points) sets.push_back(quantized_beside({point.operators.begin(), point.operators.end()}));
  VISQ_ASSIGN(const auto final, noises(sets, quantized_beside({}), all_));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].sqnr = to_decibels(final[i]);
    points[i].predicted_sqnr = std::min(200.0, points[0].sqnr + points[i].predicted_sqnr);
  }
  return points;
}

}  // namespace visq::diagnosis
