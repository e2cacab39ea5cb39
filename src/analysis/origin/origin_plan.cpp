#include "analysis/origin/origin_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/as_size.h"
#include "kernels/op.h"
#include "quant/fake_quantize.h"

namespace visq::analysis {
namespace {

using quant::GraphIndex;
using runtime::LockstepOrder;

/// Why an operator cannot be run once more on other inputs; empty where it can.
std::string reason_against(const GraphIndex& graph, const Operator& op) {
  const auto stateful = [](const kernels::OpDef* def) { return def != nullptr && def->stateful; };
  if (!called_subgraphs(op).empty()) return fmt::format("{} calls subgraphs", op.label());
  const bool variable = std::any_of(op.inputs.begin(), op.inputs.end(), [&](int i) { return i >= 0 && graph.tensor(i).is_variable; });
  if (variable || stateful(kernels::find_op(op))) return fmt::format("{} keeps state from record to record", op.label());
  return {};
}

bool real_valued(const TensorInfo& tensor) { return is_floating(tensor.dtype) || quant::has_grid(tensor); }

/// One graph of the pair: where its segments end, and what stands against running them.
class Side {
 public:
  Side(const Subgraph& graph, std::size_t matches) : index_(graph), pair_(graph.tensors.size(), -1) {
    partner_.assign(graph.tensors.size(), -1);
    seen_.assign(graph.operators.size(), matches);
  }

  void match(int tensor, int partner, std::size_t pair) {
    partner_[as_size(tensor)] = partner;
    pair_[as_size(tensor)] = static_cast<int>(pair);
  }

  /// After all matches: what stands against each node's segment, in graph order.
  void find_blocked() {
    for (const Operator& op : index_.graph().operators) {
      std::string reason = reason_against(index_, op);
      for (const int input : op.inputs) {
        if (!reason.empty() || !inner(input)) continue;
        const int maker = index_.maker(input);
        reason = maker >= 0 ? blocked_[as_size(maker)] : fmt::format("its input '{}' has no counterpart", index_.tensor(input).name);
      }
      blocked_.push_back(std::move(reason));
    }
  }

  const GraphIndex& index() const { return index_; }
  const std::vector<int>& partner() const { return partner_; }
  int pair(int tensor) const { return pair_[as_size(tensor)]; }
  const std::string& blocked(int node) const { return blocked_[as_size(node)]; }
  /// A map that is computed within a segment.
  bool inner(int tensor) const { return tensor >= 0 && partner_[as_size(tensor)] < 0 && index_.is_feature_map(tensor); }

  /// Calls visit(node) for all nodes of the segment of `tensor`, each once; `mark` differs from call to call.
  template <class Visit>
  void walk(int tensor, std::size_t mark, Visit visit) {
    std::vector<int> open{index_.maker(tensor)};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (node < 0 || seen_[as_size(node)] == mark) continue;
      seen_[as_size(node)] = mark;
      visit(node);
      for (const int input : index_.op(node).inputs) {
        if (inner(input)) open.push_back(index_.maker(input));
      }
    }
  }

 private:
  GraphIndex index_;
  std::vector<int> partner_, pair_;
  std::vector<std::string> blocked_;
  std::vector<std::size_t> seen_;
};

class Planner {
 public:
  Planner(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing, std::size_t first_pair,
          const std::vector<bool>& wanted, bool rounds)
      : matches_(pairing.pairing.matches),
        wanted_(wanted),
        rounds_(rounds),
        main_(pairing.reference_subgraph == 0),
        r_(reference.subgraphs[as_size(pairing.reference_subgraph)], matches_.size()),
        q_(quantized.subgraphs[as_size(pairing.quantized_subgraph)], matches_.size()) {
    order_.first_pair = first_pair;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      r_.match(matches_[i].reference, matches_[i].quantized, i);
      q_.match(matches_[i].quantized, matches_[i].reference, i);
    }
    r_.find_blocked();
    q_.find_blocked();
  }

  OriginOrder run(LockstepOrder& lockstep) {
    start_run(r_, order_.inherited);
    start_run(q_, order_.created);
    for (std::size_t i = 0; i < matches_.size(); ++i) describe(i);
    collect_nodes(r_, order_.inherited, &TensorMatch::reference);
    collect_nodes(q_, order_.created, &TensorMatch::quantized);
    if (rounds_) find_inner();
    schedule(lockstep);
    return std::move(order_);
  }

 private:
  using TensorMatch = quant::TensorMatch;

  static void start_run(const Side& side, OriginRun& run) {
    run.partner = side.partner();
    run.pair.assign(run.partner.size(), -1);
  }

  void describe(std::size_t i) {
    OriginPair& pair = order_.pairs.emplace_back();
    pair.reference = matches_[i].reference;
    pair.quantized = matches_[i].quantized;
    const int r_maker = r_.index().maker(pair.reference);
    const int q_maker = q_.index().maker(pair.quantized);
    pair.graph_input = r_maker < 0 && q_maker < 0;
    pair.blocked = reason(pair, r_maker, q_maker);
    std::set<int> inputs;
    r_.walk(pair.reference, i, [&](int node) {
      for (const int input : r_.index().op(node).inputs) {
        if (input >= 0 && r_.pair(input) >= 0) inputs.insert(r_.pair(input));
      }
    });
    for (const int input : inputs) pair.inputs.push_back(order_.first_pair + as_size(input));
    if (r_maker >= 0) cut_by_range(pair, r_.index().op(r_maker));
    if (!measured(i) || pair.graph_input) return;
    order_.inherited.pair[as_size(pair.reference)] = order_.created.pair[as_size(pair.quantized)] = static_cast<int>(i);
  }

  std::string reason(const OriginPair& pair, int r_maker, int q_maker) const {
    if (!real_valued(r_.index().tensor(pair.reference)) || !real_valued(q_.index().tensor(pair.quantized))) return "no real values";
    if (pair.graph_input) return main_ ? "" : "handed over by the operator that calls the subgraph";
    if (r_maker < 0 || q_maker < 0) return "an input in one model, computed in the other";
    return !r_.blocked(r_maker).empty() ? r_.blocked(r_maker) : q_.blocked(q_maker);
  }

  bool measured(std::size_t i) const { return wanted_[order_.first_pair + i] && order_.pairs[i].blocked.empty(); }

  /// Where a converter dropped an activation because the quantized range holds it, the range is no loss: what it cuts off, the reference
  /// cuts off too.
  void cut_by_range(OriginPair& pair, const Operator& maker) const {
    const TensorInfo& tensor = q_.index().tensor(pair.quantized);
    const auto bounds = kernels::clamp_of(maker);
    if (!bounds || !rounds_ || !quant::has_grid(tensor) || tensor.quantization.per_channel()) return;
    const quant::Grid grid = quant::grid_of(tensor);
    if (quant::real_value(grid, grid.low) >= bounds->low - grid.scale / 2) pair.low = bounds->low;
    if (quant::real_value(grid, grid.high) <= bounds->high + grid.scale / 2) pair.high = bounds->high;
  }

  void collect_nodes(Side& side, OriginRun& run, int TensorMatch::*tensor) {
    std::vector<bool> needed(side.index().graph().operators.size(), false);
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      if (!measured(i) || order_.pairs[i].graph_input) continue;
      side.walk(matches_[i].*tensor, matches_.size() + 1 + i, [&](int node) { needed[as_size(node)] = true; });
    }
    for (std::size_t node = 0; node < needed.size(); ++node) {
      if (needed[node]) run.nodes.push_back(node);
    }
  }

  void find_inner() {
    const GraphIndex& graph = q_.index();
    const auto on_grid = [&](int tensor) { return q_.inner(tensor) && quant::has_grid(graph.tensor(tensor)); };
    order_.rounded_inside.assign(graph.graph().operators.size(), false);
    order_.exact_inner.assign(graph.graph().tensors.size(), false);
    for (std::size_t node = 0; node < graph.graph().operators.size(); ++node) {
      const Operator& op = graph.graph().operators[node];
      bool inside = false;
      for (const int output : op.outputs) {
        if (!on_grid(output)) continue;
        order_.inner.push_back(output);
        inside = true;
      }
      for (const int input : op.inputs) {
        if (q_.inner(input) && graph.maker(input) >= 0) inside = inside || order_.rounded_inside[as_size(graph.maker(input))];
      }
      order_.rounded_inside[node] = inside;
      for (const int output : op.outputs) order_.exact_inner[as_size(output)] = q_.inner(output) && !inside;
    }
  }

  /// Walks the lockstep's events and lets the runs follow as far as what they read is there.
  void schedule(LockstepOrder& lockstep) {
    const auto r_steps = runtime::steps_until_made(r_.index().graph());
    const auto q_steps = runtime::steps_until_made(q_.index().graph());
    std::size_t inherited = 0;
    std::size_t created = 0;
    const auto first = std::find_if(lockstep.events.begin(), lockstep.events.end(),
                                    [](const auto& event) { return event.pair != LockstepOrder::Event::kCalls; });
    if (first != lockstep.events.end()) order_.begins_with = first->pair - order_.first_pair;
    for (const LockstepOrder::Event& event : lockstep.events) {
      if (event.pair == LockstepOrder::Event::kCalls) continue;
      const std::size_t r_done = event.reference_steps;
      const std::size_t q_done = event.quantized_steps;
      const auto there = [](const std::vector<std::size_t>& steps, std::size_t done) {
        return [&steps, done](int tensor) { return steps[as_size(tensor)] <= done; };
      };
      const auto hold = [](std::vector<int>& until, std::size_t done) {
        return [&until, done](int tensor) { until[as_size(tensor)] = std::max(until[as_size(tensor)], static_cast<int>(done) - 1); };
      };
      const auto r_there = there(r_steps, r_done), q_there = there(q_steps, q_done);
      const auto r_hold = hold(lockstep.reference_hold, r_done), q_hold = hold(lockstep.hold, q_done);
      advance(r_.index(), order_.inherited, inherited, q_there, q_hold, r_there, r_hold);
      advance(q_.index(), order_.created, created, r_there, r_hold, r_there, r_hold);
      OriginPair& pair = order_.pairs[event.pair - order_.first_pair];
      pair.inherited_until = inherited;
      pair.created_until = created;
    }
    give_up(r_.index(), order_.inherited, inherited);
    give_up(q_.index(), order_.created, created);
  }

  /// `there` and `hold` of the graph whose maps are lent; `f_there` and `f_hold` of the reference's, which is what results are measured
  /// against.
  template <class There, class Hold, class FThere, class FHold>
  void advance(const GraphIndex& graph, const OriginRun& run, std::size_t& position, There there, Hold hold, FThere f_there,
               FHold f_hold) const {
    for (; position < run.nodes.size(); ++position) {
      const Operator& op = graph.graph().operators[run.nodes[position]];
      std::vector<int> lent, compared;
      for (const int input : op.inputs) {
        if (input >= 0 && run.partner[as_size(input)] >= 0) lent.push_back(run.partner[as_size(input)]);
      }
      for (const int output : op.outputs) {
        if (run.pair[as_size(output)] >= 0) compared.push_back(order_.pairs[as_size(run.pair[as_size(output)])].reference);
      }
      if (!std::all_of(lent.begin(), lent.end(), there) || !std::all_of(compared.begin(), compared.end(), f_there)) return;
      std::for_each(lent.begin(), lent.end(), hold);
      std::for_each(compared.begin(), compared.end(), f_hold);
    }
  }

  /// Nodes that would have to wait for a map that comes after the last pair.
  void give_up(const GraphIndex& graph, OriginRun& run, std::size_t position) {
    for (std::size_t i = position; i < run.nodes.size(); ++i) {
      for (const int output : graph.graph().operators[run.nodes[i]].outputs) {
        const int pair = run.pair[as_size(output)];
        if (pair >= 0) order_.pairs[as_size(pair)].blocked = "the two graphs compute its inputs in different orders";
      }
    }
    run.nodes.resize(position);
  }

  const std::vector<TensorMatch>& matches_;
  const std::vector<bool>& wanted_;
  bool rounds_, main_;
  Side r_, q_;
  OriginOrder order_;
};

}  // namespace

OriginOrder plan_origin(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing, std::size_t first_pair,
                        const std::vector<bool>& wanted, bool rounds, runtime::LockstepOrder& lockstep) {
  return Planner(reference, quantized, pairing, first_pair, wanted, rounds).run(lockstep);
}

}  // namespace visq::analysis
