// Pairs of subgraphs: the main graphs, then what paired operators call.
#include <algorithm>
#include <memory>
#include <mutex>

#include "core/as_size.h"
#include "quant/pair_graphs.h"

namespace visq::quant {
namespace {

class ModelPairer {
 public:
  ModelPairer(const Model& reference, const Model& quantized)
      : r_(reference), q_(quantized), r_taken_(r_.subgraphs.size(), false), q_taken_(q_.subgraphs.size(), false) {}

  std::vector<GraphPairing> run(const std::vector<int>& input_order, const std::vector<PairRule>& rules) {
    add(0, 0, input_order, rules);
    for (std::size_t next = 0; next < pairs_.size(); ++next) {
      pairs_[next].calls = paired_calls(pairs_[next]);
      for (const auto& call : std::vector(pairs_[next].calls)) add_callees(next, call);
    }
    return std::move(pairs_);
  }

 private:
  const Subgraph& r_graph(const GraphPairing& pair) const { return r_.subgraphs[as_size(pair.reference_subgraph)]; }
  const Subgraph& q_graph(const GraphPairing& pair) const { return q_.subgraphs[as_size(pair.quantized_subgraph)]; }

  void add(int r, int q, const std::vector<int>& input_order, const std::vector<PairRule>& rules) {
    if (r_taken_[as_size(r)] || q_taken_[as_size(q)]) return;
    r_taken_[as_size(r)] = q_taken_[as_size(q)] = true;
    GraphPairing pair{r, q, {}, {}};
    pair.pairing = pair_graphs(r_graph(pair), q_graph(pair), input_order, rules);
    pairs_.push_back(std::move(pair));
  }

  /// Operators of one type whose outputs are paired; those without outputs (CALL_ONCE) in order.
  std::vector<std::pair<int, int>> paired_calls(const GraphPairing& pair) const {
    std::vector<std::pair<int, int>> calls;
    std::vector<bool> used(q_graph(pair).operators.size(), false);
    const auto& r_operators = r_graph(pair).operators;
    for (std::size_t i = 0; i < r_operators.size(); ++i) {
      if (called_subgraphs(r_operators[i]).empty()) continue;
      const int partner = partner_of(pair, r_operators[i], used);
      if (partner < 0) continue;
      used[as_size(partner)] = true;
      calls.emplace_back(static_cast<int>(i), partner);
    }
    return calls;
  }

  int partner_of(const GraphPairing& pair, const Operator& op, const std::vector<bool>& used) const {
    const auto& candidates = q_graph(pair).operators;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (used[i] || candidates[i].type != op.type || candidates[i].outputs.size() != op.outputs.size()) continue;
      if (op.outputs.empty() || paired(pair.pairing, op.outputs[0], candidates[i].outputs[0])) return static_cast<int>(i);
    }
    return -1;
  }

  static bool paired(const Pairing& pairing, int reference, int quantized) {
    return std::any_of(pairing.matches.begin(), pairing.matches.end(),
                       [&](const TensorMatch& match) { return match.reference == reference && match.quantized == quantized; });
  }

  void add_callees(std::size_t pair, std::pair<int, int> call) {
    const auto r = called_subgraphs(r_graph(pairs_[pair]).operators[as_size(call.first)]);
    const auto q = called_subgraphs(q_graph(pairs_[pair]).operators[as_size(call.second)]);
    for (std::size_t i = 0; i < std::min(r.size(), q.size()); ++i) {
      const auto& r_inputs = r_.subgraphs[as_size(r[i])].inputs;
      const auto& q_inputs = q_.subgraphs[as_size(q[i])].inputs;
      std::vector<int> in_order;
      for (std::size_t k = 0; k < std::min(r_inputs.size(), q_inputs.size()); ++k) in_order.push_back(static_cast<int>(k));
      add(static_cast<int>(r[i]), static_cast<int>(q[i]), in_order, {});
    }
  }

  const Model& r_;
  const Model& q_;
  std::vector<bool> r_taken_, q_taken_;
  std::vector<GraphPairing> pairs_;
};

/// What was asked last, and the answer. It keeps no model alive.
struct LastPairing {
  std::weak_ptr<const Model> reference, quantized;
  std::vector<int> input_order;
  std::vector<PairRule> rules;
  std::shared_ptr<const std::vector<GraphPairing>> answer;

  bool is_of(const std::shared_ptr<const Model>& r, const std::shared_ptr<const Model>& q, const std::vector<int>& order,
             const std::vector<PairRule>& given) const {
    const auto same = [](const PairRule& a, const PairRule& b) { return a == b && a.correlation == b.correlation; };
    return answer && reference.lock() == r && quantized.lock() == q && input_order == order &&
           std::equal(rules.begin(), rules.end(), given.begin(), given.end(), same);
  }
};

}  // namespace

std::vector<GraphPairing> pair_models(const Model& reference, const Model& quantized, const std::vector<int>& input_order,
                                      const std::vector<PairRule>& rules) {
  return ModelPairer(reference, quantized).run(input_order, rules);
}

std::shared_ptr<const std::vector<GraphPairing>> pair_models_once(const std::shared_ptr<const Model>& reference,
                                                                  const std::shared_ptr<const Model>& quantized,
                                                                  const std::vector<int>& input_order, const std::vector<PairRule>& rules) {
  static std::mutex mutex;
  static LastPairing last;
  {
    const std::lock_guard lock(mutex);
    if (last.is_of(reference, quantized, input_order, rules)) return last.answer;
  }
  auto answer = std::make_shared<const std::vector<GraphPairing>>(pair_models(*reference, *quantized, input_order, rules));
  const std::lock_guard lock(mutex);
  last = {reference, quantized, input_order, rules, answer};
  return answer;
}

}  // namespace visq::quant
