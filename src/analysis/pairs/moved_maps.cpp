#include "analysis/pairs/moved_maps.h"

#include <algorithm>
#include <map>

#include "core/as_size.h"
#include "kernels/op.h"
#include "quant/graph_index.h"

namespace visq::analysis {
namespace {

bool same_grid(const TensorInfo& a, const TensorInfo& b) {
  const Quantization &p = a.quantization, &q = b.quantization;
  const bool whole = !p.per_channel() && !q.per_channel() && p.block_size == 0 && q.block_size == 0;
  return whole && a.dtype == b.dtype && p.scale == q.scale && p.zero_point == q.zero_point;
}

/// One side of the pairs: the graphs of a model, indexed as they are asked for.
class OrderOf {
 public:
  explicit OrderOf(const Model& model) : model_(model) {}

  struct Move {
    const Operator* op = nullptr;  ///< null: the map is not another one in another order
    const Subgraph* graph = nullptr;
    std::size_t main_input = 0;
    int source = -1;
  };
  Move move_to(int subgraph, int tensor) {
    const quant::GraphIndex& graph = index(subgraph);
    const int maker = graph.maker(tensor);
    if (maker < 0) return {};
    const Operator& op = graph.op(maker);
    const kernels::OpDef* const def = kernels::find_op(op);
    if (def == nullptr || !def->reorders) return {};
    const auto main = as_size(def->main_input);
    if (main >= op.inputs.size() || op.inputs[main] < 0) return {};
    if (!same_grid(graph.tensor(op.inputs[main]), graph.tensor(tensor))) return {};
    return {&op, &graph.graph(), main, op.inputs[main]};
  }

 private:
  const quant::GraphIndex& index(int subgraph) { return graphs_.try_emplace(subgraph, model_.subgraphs[as_size(subgraph)]).first->second; }

  const Model& model_;
  std::map<int, quant::GraphIndex> graphs_;
};

/// Whether both operators are told the same order: the same attributes and the same constants.
bool same_order(const OrderOf::Move& a, const OrderOf::Move& b) {
  if (a.op->label() != b.op->label() || a.op->attributes.all() != b.op->attributes.all()) return false;
  if (a.op->inputs.size() != b.op->inputs.size()) return false;
  for (std::size_t i = 0; i < a.op->inputs.size(); ++i) {
    if (i == a.main_input) continue;
    const int p = a.op->inputs[i], q = b.op->inputs[i];
    if ((p < 0) != (q < 0)) return false;
    if (p < 0) continue;
    const TensorInfo &x = a.graph->tensors[as_size(p)], &y = b.graph->tensors[as_size(q)];
    if (!x.is_constant || !y.is_constant || x.dtype != y.dtype || !std::ranges::equal(x.data, y.data)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> find_moved(const Model& reference, const Model& quantized, const std::vector<MapPair>& pairs,
                                    const std::vector<bool>& wanted) {
  using Key = std::pair<std::pair<int, int>, std::pair<int, int>>;
  const auto key_of = [](const MapPair& pair, int r, int q) { return Key{{pair.reference_subgraph, pair.quantized_subgraph}, {r, q}}; };
  std::map<Key, std::size_t> positions;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (wanted[i]) positions[key_of(pairs[i], pairs[i].match.reference, pairs[i].match.quantized)] = i;
  }
  OrderOf references(reference), twins(quantized);
  std::vector<std::size_t> moved(pairs.size(), kNotMoved);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const MapPair& pair = pairs[i];
    const auto r = references.move_to(pair.reference_subgraph, pair.match.reference);
    const auto q = twins.move_to(pair.quantized_subgraph, pair.match.quantized);
    if (r.op == nullptr || q.op == nullptr || !same_order(r, q)) continue;
    const auto source = positions.find(key_of(pair, r.source, q.source));
    if (source != positions.end()) moved[i] = source->second;
  }
  return moved;
}

}  // namespace visq::analysis
