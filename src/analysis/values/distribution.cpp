#include "visq/distribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "analysis/facts/channels.h"
#include "analysis/facts/layer_values.h"
#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "analysis/facts/node_filter.h"
#include "analysis/pairs/pair_names.h"
#include "analysis/pairs/pair_worker.h"
#include "analysis/records/real_values.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/values/value_spread.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/fake_quantize.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::MapNames;
using analysis::NodeFilter;
using analysis::PairNames;
using analysis::SpreadRecord;
using analysis::ValueSpread;

/// Feature maps whose values are gathered in one pass: bounds the memory of --all.
constexpr std::size_t kMapsPerPass = 48;

CompareOptions plan_options(const DistributionOptions& options) {
  CompareOptions compare;
  static_cast<PairRunRequest&>(compare) = options;
  static_cast<NodeSelection&>(compare) = options;
  return compare;
}

void set_quantized_tensor(const TensorInfo& tensor, Distribution& result) {
  result.quantized_dtype = tensor.dtype;
  result.scale = tensor.quantization.scale;
  const auto bounds = analysis::representable_range(tensor);
  if (!bounds) return;
  result.lowest = std::min(result.lowest.value_or(bounds->low), bounds->low);
  result.highest = std::max(result.highest.value_or(bounds->high), bounds->high);
}

/// What the tensor rounds and does not clip: half a step more than it represents.
analysis::RealBounds unclipped_range(const TensorInfo& tensor) {
  const auto bounds = analysis::representable_range(tensor);
  if (!bounds) return {-INFINITY, INFINITY};
  const auto& scale = tensor.quantization.scale;
  const double half = scale.empty() ? 0 : static_cast<double>(*std::max_element(scale.begin(), scale.end())) / 2;
  return {bounds->low - half, bounds->high + half};
}

/// The distance of neighbouring values of a tensor; 0 where it differs from channel to channel.
double step_of(const TensorInfo& tensor) {
  const bool one = quant::has_grid(tensor) && tensor.quantization.scale.size() == 1;
  const double step = one ? static_cast<double>(tensor.quantization.scale[0]) : 0;
  return std::isfinite(step) && step > 0 ? step : 0;
}

int axis_for(const DistributionOptions& options, const Quantization& quantization, const Shape& shape) {
  return options.axis.value_or(analysis::channel_axis(quantization, shape));
}

/// Weights of the paired layers of one pair of graphs, each with its whole distribution: they need no data.
class Weights {
 public:
  Weights(const ComparePlan& plan, const quant::GraphPairing& pairing, const DistributionOptions& options, const NodeFilter& filter)
      : options_(options),
        pairing_(pairing),
        r_(plan.reference().subgraphs[as_size(pairing.reference_subgraph)]),
        q_(plan.quantized().subgraphs[as_size(pairing.quantized_subgraph)]),
        r_names_(plan.reference(), pairing.reference_subgraph),
        q_names_(plan.quantized(), pairing.quantized_subgraph),
        filter_(filter) {}

  void add_to(std::vector<Distribution>& list) {
    for (const auto& match : pairing_.pairing.matches) {
      const int r = r_.maker(match.reference), q = q_.maker(match.quantized);
      if (r < 0 || q < 0 || r_.op(r).type != q_.op(q).type) continue;
      if (auto weights = layer(r, q)) list.push_back(std::move(*weights));
    }
  }

 private:
  std::optional<Distribution> layer(int r, int q) {
    const auto slots = kernels::facts_of(r_.op(r)).weights;
    if (!slots) return std::nullopt;
    const int r_tensor = input_of(r_.op(r), slots->weight), q_tensor = input_of(q_.op(q), slots->weight);
    if (r_tensor < 0 || q_tensor < 0) return std::nullopt;
    Distribution result;
    result.kind = Distribution::Kind::kWeight;
    result.reference = r_names_.identity(r_.op(r).outputs[0]);
    result.quantized = q_names_.identity(q_.op(q).outputs[0]);
    result.reference_tensor = r_names_.name(r_tensor);
    result.quantized_tensor = q_names_.name(q_tensor);
    auto names = analysis::all_names(result.reference, result.quantized);
    names.insert(names.end(), {result.reference_tensor, result.quantized_tensor});
    const bool wanted = filter_.passes(names, result.reference.op);
    const auto f = analysis::constant_values(r_, r_tensor), g = analysis::constant_values(q_, q_tensor);
    const TensorInfo& tensor = q_.tensor(q_.origin(q_tensor));
    if (!wanted || !f || !g || f->size() != g->size() || f->empty()) return std::nullopt;
    set_quantized_tensor(tensor, result);
    ValueSpread spread(axis_for(options_, tensor.quantization, tensor.shape), unclipped_range(tensor));
    std::vector<float> scratch;
    spread.count(f->data(), g->data(), tensor.shape, scratch);
    spread.fold(spread.sums(f->data(), g->data(), tensor.shape, scratch));
    spread.finish(result, step_of(tensor));
    return result;
  }

  const DistributionOptions& options_;
  const quant::GraphPairing& pairing_;
  quant::GraphIndex r_, q_;
  MapNames r_names_, q_names_;
  const NodeFilter& filter_;
};

/// Gathers the values of some pairs of the plan in one pass.
class MapPass {
 public:
  MapPass(ComparePlan& plan, const analysis::SequenceFeed& feed, const DistributionOptions& options, std::span<const std::size_t> pairs)
      : plan_(plan), feed_(feed), options_(options), slots_(plan.pairs().size(), npos) {
    for (const std::size_t pair : pairs) {
      slots_[pair] = states_.size();
      const TensorInfo& tensor = info(pair);
      states_.push_back(std::make_unique<State>(axis_for(options, tensor.quantization, tensor.shape), unclipped_range(tensor)));
      pairs_.push_back(pair);
    }
  }

  /// Returns how many records were folded.
  Result<std::int64_t> run(RecordSource& data) {
    std::int64_t done = 0;
    analysis::RecordWorkers<Output> workers(
        data, options_.records, [this] { return make_worker(); },
        [&](std::int64_t, Output&& output) -> Status {
          for (std::size_t i = 0; i < output.size(); ++i) {
            for (SpreadRecord& run : output[i]) states_[i]->spread.fold(std::move(run));
          }
          if (options_.progress) options_.progress(++done, options_.records.last - options_.records.first);
          return {};
        },
        options_.stop);
    const bool in_order = feed_.in_order({&plan_.reference(), &plan_.quantized()});
    return workers.run(in_order ? 1 : analysis::thread_count(options_.threads, options_.records));
  }

  /// Only maps with values: integer ones and those that were never computed have none.
  void finish(std::vector<Distribution>& list) const {
    const PairNames names(plan_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i]->any) continue;
      Distribution& result = list.emplace_back();
      result.reference = names.reference(pairs_[i]);
      result.quantized = names.quantized(pairs_[i]);
      result.reference_tensor = result.reference.name;
      result.quantized_tensor = result.quantized.name;
      set_quantized_tensor(info(pairs_[i]), result);
      states_[i]->spread.finish(result, step_of(info(pairs_[i])));
    }
  }

 private:
  /// Per map one for each of its runs: in the main graph one.
  using Output = std::vector<std::vector<SpreadRecord>>;
  static constexpr std::size_t npos = as_size(-1);
  struct State {
    State(int axis, analysis::RealBounds unclipped) : spread(axis, unclipped) {}
    std::mutex mutex;
    ValueSpread spread;
    bool any = false;
  };
  struct Scratch {
    std::vector<float> reference, quantized, channel;
  };

  const TensorInfo& info(std::size_t pair) const {
    const analysis::MapPair& maps = plan_.pairs()[pair];
    const Subgraph& graph = plan_.quantized().subgraphs[as_size(maps.quantized_subgraph)];
    return graph.tensors[as_size(maps.match.quantized)];
  }

  Result<analysis::RecordWorker<Output>> make_worker() {
    auto worker = std::make_shared<analysis::PairWorker>(plan_, feed_);
    auto scratch = std::make_shared<Scratch>();
    return analysis::RecordWorker<Output>([this, worker, scratch](const Record& record) -> Result<Output> {
      Output output(states_.size());
      VISQ_TRY(worker->run(record, [&](std::size_t pair, const runtime::Executor& f, const runtime::Executor& q) -> Status {
        if (slots_[pair] == npos) return {};
        if (auto run = look(pair, f, q, *scratch)) output[slots_[pair]].push_back(std::move(*run));
        return {};
      }));
      return output;
    });
  }

  std::optional<SpreadRecord> look(std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized,
                                   Scratch& scratch) {
    const auto& match = plan_.pairs()[pair].match;
    if (!reference.available(match.reference) || !quantized.available(match.quantized)) return std::nullopt;
    const kernels::Tensor &f = reference.tensor(match.reference), &q = quantized.tensor(match.quantized);
    if (f.shape != q.shape || !analysis::is_real(f) || !analysis::is_real(q)) return std::nullopt;
    const float* f_values = analysis::real_values(f, scratch.reference);
    const float* q_values = analysis::real_values(q, scratch.quantized);
    if (f_values == nullptr || q_values == nullptr || f.elements() == 0) return std::nullopt;
    State& state = *states_[slots_[pair]];
    auto sums = state.spread.sums(f_values, q_values, f.shape, scratch.channel);
    const std::lock_guard lock(state.mutex);
    state.any = true;
    state.spread.count(f_values, q_values, f.shape, scratch.channel);
    return sums;
  }

  ComparePlan& plan_;
  const analysis::SequenceFeed& feed_;
  const DistributionOptions& options_;
  std::vector<std::size_t> slots_;  ///< per pair of the plan: index into states_, or npos
  std::vector<std::size_t> pairs_;
  std::vector<std::unique_ptr<State>> states_;
};

/// The pairs with the lowest SQNR, worst first, from a comparison of all.
Result<std::vector<std::size_t>> worst_pairs(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                             RecordSource& data, const DistributionOptions& options, const ComparePlan& plan) {
  CompareOptions compare_options = plan_options(options);
  compare_options.metrics = {metric_named("sqnr")};
  VISQ_ASSIGN(const CompareResult result, compare(reference, quantized, data, compare_options));
  std::map<std::pair<int, int>, double> sqnr;  // by the reference's subgraph and tensor
  for (const MapComparison& map : result.maps) {
    const MetricValue& value = map.metrics.front();
    if (value.state == MetricValue::State::kFinite) sqnr.emplace(std::pair(map.reference.subgraph, map.reference.tensor), value.value);
  }
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < plan.pairs().size(); ++i) {
    const auto found = sqnr.find({plan.pairs()[i].reference_subgraph, plan.pairs()[i].match.reference});
    if (found != sqnr.end()) ranked.emplace_back(found->second, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < std::min(ranked.size(), options.worst); ++i) pairs.push_back(ranked[i].second);
  return pairs;
}

bool chosen_by_user(const DistributionOptions& options) { return options.all || !options.nodes.empty() || !options.ops.empty(); }

/// Knows the name of every tensor: of maps and of constants.
NodeFilter filter_of(const ComparePlan& plan, const DistributionOptions& options) {
  NodeFilter filter(options.nodes, options.ops);
  for (const Model* model : {&plan.reference(), &plan.quantized()}) {
    for (std::size_t graph = 0; graph < model->subgraphs.size(); ++graph) {
      const MapNames names(*model, static_cast<int>(graph));
      for (std::size_t t = 0; t < model->subgraphs[graph].tensors.size(); ++t) {
        for (const auto known : names.all(static_cast<int>(t))) filter.learn_name(known);
      }
    }
  }
  return filter;
}

void keep_worst(std::vector<Distribution>& list, std::size_t count) {
  std::stable_sort(list.begin(), list.end(), [](const Distribution& a, const Distribution& b) { return a.sqnr < b.sqnr; });
  if (list.size() > count) list.resize(count);
}

}  // namespace

Result<DistributionResult> distribution(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                        const DistributionOptions& options) {
  // Names may be those of weights, which the plan of feature maps does not know: it holds all, and is filtered here.
  CompareOptions everything = plan_options(options);
  everything.nodes.clear();
  everything.ops.clear();
  VISQ_ASSIGN(ComparePlan plan, ComparePlan::create(reference, quantized, everything));
  DistributionResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, data.description(), options);
  const NodeFilter filter = filter_of(plan, options);
  for (const auto& pairing : plan.pairings()) Weights(plan, pairing, options, filter).add_to(result.distributions);
  std::vector<std::size_t> pairs;
  if (chosen_by_user(options)) {
    const PairNames names(plan);
    for (std::size_t i = 0; i < plan.pairs().size(); ++i) {
      const MapIdentity map = names.reference(i);
      const MapIdentity twin = names.quantized(i);
      if (filter.passes(analysis::all_names(map, twin), map.op)) pairs.push_back(i);
    }
    if (pairs.empty() && result.distributions.empty()) {
      return usage_error("no weight and no feature map fits --nodes and --ops{}",
                         analysis::filter_hint(options.nodes, options.ops, {reference.get(), quantized.get()}));
    }
  } else {
    keep_worst(result.distributions, options.worst);
    VISQ_ASSIGN(pairs, worst_pairs(reference, quantized, data, options, plan));
  }
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  for (std::size_t first = 0; first < pairs.size() && !result.interrupted; first += kMapsPerPass) {
    MapPass pass(plan, feed, options, std::span(pairs).subspan(first, std::min(kMapsPerPass, pairs.size() - first)));
    VISQ_ASSIGN(const std::int64_t done, pass.run(data));
    result.interrupted = done < options.records.last - options.records.first;
    pass.finish(result.distributions);
  }
  return result;
}

}  // namespace visq
