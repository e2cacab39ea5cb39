#include "diagnosis/precision_search.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "analysis/multiply_adds.h"
#include "analysis/trial_runner.h"

namespace visq::diagnosis {

using analysis::PartSet;
using analysis::QuantizedParts;

namespace {

/// Records of the search, steps, moves that every step measures anew, sets that a search without target ends with.
constexpr std::int64_t kFewRecords = 4;
constexpr std::size_t kMovesTried = 8, kMostSteps = 24;
/// Operators without weights are not free: they count as this share of all weights.
constexpr double kLeastPrice = 1e-3;
/// Noise under which nothing is left to win: 80 dB.
constexpr double kNoNoise = 1e-8;

double to_decibels(double noise) { return noise > 0 ? std::min(200.0, -10 * std::log10(noise)) : 200.0; }

int bits_of(const std::string& type) { return type == "int16" ? 16 : 32; }

}  // namespace

PrecisionSearch::PrecisionSearch(analysis::PartialModels& models, RecordSource& data, const RecommendOptions& options)
    : models_(models), data_(data), options_(options) {
  few_ = {options.records.first, std::min(options.records.last, options.records.first + kFewRecords)};
  for (const int output : models.reference().main().outputs) {
    if (models.reference().main().tensors[static_cast<std::size_t>(output)].dtype == DType::kFloat32) outputs_.push_back(output);
  }
  find_costs();
  find_moves();
}

void PrecisionSearch::find_costs() {
  const Subgraph& graph = models_.reference().main();
  const int bits = bits_of(options_.to);
  for (const QuantizedParts::Node& node : models_.parts().nodes()) {
    const Operator& op = graph.operators[static_cast<std::size_t>(node.node)];
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
    const auto macs = static_cast<double>(multiply_adds(graph, op).value_or(0));
    cost.mac_bits = macs * (static_cast<double>(bits) * bits - static_cast<double>(weight_bits) * map_bits);
    mac_bits_ += macs * weight_bits * map_bits;
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const int tensor : *tensors) {
        if (tensor >= 0 && models_.parts().activations().contains(tensor)) touching_[tensor].insert(node.node);
      }
    }
  }
}

/// Single operators, and pairs of an operator and its reader: a map between two is free only when both are.
void PrecisionSearch::find_moves() {
  for (const auto& [node, cost] : costs_) moves_.push_back({{node}, 0});
  for (const auto& [tensor, nodes] : touching_) {
    if (nodes.size() == 2) moves_.push_back({{nodes.begin(), nodes.end()}, 0});
  }
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
Result<std::vector<double>> PrecisionSearch::noises(const std::vector<PartSet>& trials, const PartSet& base, RecordRange records) {
  analysis::TrialOptions options;
  options.outputs = outputs_;
  options.base = &base;
  options.threads = options_.threads > 0 ? options_.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.memory = options_.memory;
  analysis::TrialRunner runner(models_, trials, options);
  std::vector<std::size_t> all(trials.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::vector<double>> signal(trials.size(), std::vector<double>(outputs_.size(), 0)), noise = signal;
  for (std::int64_t index = records.first; index < records.last; ++index) {
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

/// Measures the most promising moves anew and takes the one that wins most for its price. False where none wins anything.
Result<bool> PrecisionSearch::take_best(std::set<int>& kept, std::vector<int>& order, double& noise) {
  std::erase_if(moves_, [&](const Move& move) {
    return std::all_of(move.operators.begin(), move.operators.end(), [&](int node) { return kept.contains(node); });
  });
  const auto worth = [&](const Move& move) { return move.noise_won / price(move, kept); };
  std::stable_sort(moves_.begin(), moves_.end(), [&](const Move& a, const Move& b) { return worth(a) > worth(b); });
  const std::size_t tried = std::min(kMovesTried, moves_.size());
  if (tried == 0) return false;
  std::vector<PartSet> trials;
  for (std::size_t i = 0; i < tried; ++i) {
    std::set<int> larger = kept;
    larger.insert(moves_[i].operators.begin(), moves_[i].operators.end());
    trials.push_back(quantized_beside(larger));
  }
  VISQ_ASSIGN(const auto results, noises(trials, quantized_beside(kept), few_));
  std::size_t best = 0;
  for (std::size_t i = 0; i < tried; ++i) {
    moves_[i].noise_won = noise - results[i];
    if (worth(moves_[i]) > worth(moves_[best])) best = i;
  }
  if (moves_[best].noise_won <= 0) return false;
  for (const int node : moves_[best].operators) {
    if (kept.insert(node).second) order.push_back(node);
  }
  noise = results[best];
  return true;
}

bool PrecisionSearch::done(const std::set<int>& kept, double noise) const {
  if (options_.stop != nullptr && options_.stop->load()) return true;
  const bool met = options_.target_sqnr && to_decibels(noise) >= *options_.target_sqnr;
  return met || kept.size() == costs_.size() || noise <= kNoNoise || (options_.budget >= 0 && cost_of(kept).bytes >= options_.budget);
}

Result<std::vector<PrecisionPoint>> PrecisionSearch::run() {
  std::set<int> kept;
  std::vector<int> order;
  const PartSet everything = quantized_beside(kept);
  std::vector<PartSet> singles;
  for (const Move& move : moves_) singles.push_back(quantized_beside({move.operators.begin(), move.operators.end()}));
  singles.push_back(everything);
  VISQ_ASSIGN(const auto alone, noises(singles, everything, few_));
  double noise = alone.back();
  const double noise_of_all = noise;
  std::map<int, double> gains;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    moves_[i].noise_won = noise_of_all - alone[i];
    if (moves_[i].operators.size() == 1) gains[moves_[i].operators[0]] = moves_[i].noise_won;
  }
  std::vector<PrecisionPoint> points(1);
  double predicted = noise_of_all;
  points[0].predicted_sqnr = to_decibels(predicted);
  for (std::size_t step = 0; step < kMostSteps && !done(kept, noise); ++step) {
    const std::size_t before = order.size();
    VISQ_ASSIGN(const bool taken, take_best(kept, order, noise));
    if (!taken) break;
    for (std::size_t i = before; i < order.size(); ++i) predicted -= gains[order[i]];
    const Cost cost = cost_of(kept);
    if (options_.budget >= 0 && cost.bytes > options_.budget) break;
    points.push_back({order, cost.bytes, cost.mac_bits, to_decibels(std::max(predicted, kNoNoise)), 0, {}});
    if (options_.progress) options_.progress(static_cast<std::int64_t>(step + 1), static_cast<std::int64_t>(kMostSteps));
  }
  std::vector<PartSet> sets;
  for (const PrecisionPoint& point : points) sets.push_back(quantized_beside({point.operators.begin(), point.operators.end()}));
  VISQ_ASSIGN(const auto final, noises(sets, everything, options_.records));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].sqnr = to_decibels(final[i]);
  return points;
}

}  // namespace visq::diagnosis
