#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "core/as_size.h"
#include "kernels/common_type.h"
#include "kernels/op.h"
#include "quant/blocks.h"
#include "quant/cuts.h"
#include "quant/name_parts.h"
#include "quant/operator_match.h"
#include "quant/pair_graphs.h"
#include "quant/pair_side.h"

namespace visq::quant {
namespace {

constexpr double kSameWeights = 0.9;
/// Names that two operators of a graph bear are evidence still; names that every second one bears are none.
constexpr double kNamed = 0.45;

/// What limits or bends a map: an operator, or what is fused into one.
struct Activation {
  std::string_view type;  ///< e.g. "RELU6"; empty: none
  std::optional<kernels::backend::Clamp> range;

  bool same(const Activation& other) const {
    if (range && other.range) return range->low == other.range->low && range->high == other.range->high;
    return type == other.type;
  }
};
Activation fused_activation(const Operator& op) {
  const std::string_view name = op.attributes.text("fused_activation_function", "NONE");
  return name == "NONE" ? Activation() : Activation{name, kernels::clamp_of(op)};
}

class MapPairer {
 public:
  MapPairer(const Subgraph& reference, const Subgraph& quantized)
      : r_(reference), q_(quantized), works_(reference, quantized), matches_(reference.tensors.size()) {}

  Pairing run(const std::vector<int>& input_order, const std::vector<PairRule>& rules) {
    const auto fixed = obey(rules);
    pair_inputs(input_order);
    const auto operators = match_operators(r_.graph, q_.graph, input_order, fixed);
    for (const OperatorMatch& match : operators) {
      r_.op_paired[as_size(match.reference)] = true;
      q_.op_paired[as_size(match.quantized)] = true;
    }
    for (const OperatorMatch& match : operators) pair_outputs(match);
    pair_moves();
    for (const OperatorMatch& match : operators) pair_blocks(match);
    pair_by_name();
    return report();
  }

 private:
  bool join(const TensorMatch& match) {
    const auto r = as_size(match.reference), q = as_size(match.quantized);
    if (r_.partner[r] != kNone || q_.partner[q] != kNone || r_.apart[r] || q_.apart[q]) return false;
    r_.partner[r] = match.quantized;
    q_.partner[q] = match.reference;
    matches_[r] = match;
    return true;
  }
  bool join(int r, int q, PairedBy by, bool sure = true) { return join(TensorMatch{r, q, by, sure}); }

  static void keep_apart(PairSide& side, int tensor, bool doubtful) {
    if (tensor < 0) return;
    side.apart[as_size(tensor)] = true;
    side.doubted[as_size(tensor)] = doubtful;
  }

  /// Does what rules say; the operators that belong together then. Pairs come first: what is doubtful may have found its partner elsewhere.
  std::vector<std::pair<int, int>> obey(const std::vector<PairRule>& rules) {
    const auto is_pair = [](const PairRule& rule) { return rule.reference >= 0 && rule.quantized >= 0; };
    std::vector<std::pair<int, int>> fixed;
    for (const PairRule& rule : rules) {
      if (!is_pair(rule) || rule.doubtful) continue;
      const auto correlation = rule.by == PairedBy::kMaps ? std::optional(rule.correlation) : std::nullopt;
      if (!join(TensorMatch{rule.reference, rule.quantized, rule.by, true, {}, correlation})) continue;
      if (const auto operators = same_work(rule.reference, rule.quantized)) fixed.push_back(*operators);
    }
    for (const PairRule& rule : rules) {
      if (is_pair(rule) && !rule.doubtful) continue;
      keep_apart(r_, rule.reference, rule.doubtful);
      keep_apart(q_, rule.quantized, rule.doubtful);
      if (rule.doubtful) doubtful_.push_back({rule.reference, rule.quantized, rule.correlation});
    }
    return fixed;
  }

  /// The operators of the same work that make two maps, where need be with what is folded into one of them.
  std::optional<std::pair<int, int>> same_work(int r, int q) const {
    const auto makers = [](const PairSide& side, int tensor) {
      std::vector<int> list;
      for (int op = side.index.maker(side.index.origin(tensor)); op != kNone;) {
        list.push_back(op);
        op = side.graph.foldable(op) ? side.index.maker(side.index.data_inputs(op)[0]) : kNone;
      }
      return list;
    };
    for (const int own : makers(r_, r)) {
      for (const int other : makers(q_, q)) {
        if (works_.same(r_.index.op(own), q_.index.op(other))) return std::pair(own, other);
      }
    }
    return std::nullopt;
  }

  bool same_names(int r, int q) const {
    const auto own = name_parts(r_.index.tensor(r).name), other = name_parts(q_.index.tensor(q).name);
    return !own.empty() && own == other;
  }

  void pair_inputs(const std::vector<int>& input_order) {
    for (std::size_t i = 0; i < input_order.size(); ++i) {
      const int r = r_.index.graph().inputs[as_size(input_order[i])], q = q_.index.graph().inputs[i];
      join(r, q, same_names(r, q) ? PairedBy::kName : PairedBy::kStructure);
    }
  }

  void pair_outputs(const OperatorMatch& match) {
    const auto &own = r_.index.op(match.reference).outputs, &other = q_.index.op(match.quantized).outputs;
    const bool alike = match.evidence.weights && *match.evidence.weights >= kSameWeights;
    const PairedBy unnamed = alike ? PairedBy::kWeights : PairedBy::kStructure;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto [r, q] = own.size() > 1 ? std::pair(own[k], other[k]) : ends_of(match.reference, match.quantized);
      const bool named = match.evidence.name >= kNamed || same_names(r, q);
      const bool joined = join(TensorMatch{r, q, named ? PairedBy::kName : unnamed, match.sure, match.evidence.weights, {}});
      if (!joined && r_.partner[as_size(r)] == q) matches_[as_size(r)].weights = match.evidence.weights;  // paired by a rule
    }
  }

  /// A map on the way from an operator through what another converter may have put into it.
  struct Stage {
    int tensor = 0;
    Activation activation;            ///< that was done on the way
    const Operator* limit = nullptr;  ///< what did it, where that is an operator of its own
  };
  /// From the operator's own output on, as far as only factors, summands and one activation follow that have no partner of their own.
  std::vector<Stage> stages_of(const PairSide& side, int op, const PairSide& other, int counterpart) const {
    const bool takes_factors = kernels::facts_of(side.index.op(op)).weights.has_value();
    std::vector<Stage> stages{{side.index.op(op).outputs[0], fused_activation(side.index.op(op))}};
    for (int next = side.graph.only_reader(op); next != kNone; next = side.graph.only_reader(next)) {
      const Operator& node = side.index.op(next);
      if (kernels::facts_of(node).reorders && !side.op_paired[as_size(next)]) continue;  // to where the next one wants the channels
      const bool clamps = limits(node);
      if (!side.graph.foldable(next) || side.op_paired[as_size(next)] || done_behind(other, counterpart, node)) break;
      if (!stages.back().activation.type.empty() || !(clamps || takes_factors)) break;
      stages.push_back(
          {node.outputs[0], clamps ? Activation{node.type, kernels::clamp_of(node)} : fused_activation(node), clamps ? &node : nullptr});
    }
    return stages;
  }

  /// The last maps behind two operators that hold the same values. A converter may leave an activation to the range of a quantized map.
  std::pair<int, int> ends_of(int r_op, int q_op) const {
    const auto own = stages_of(r_, r_op, q_, q_op), other = stages_of(q_, q_op, r_, r_op);
    const auto limited = [](const PairSide& side, const std::vector<Stage>& stages, std::size_t i) {
      return i + 1 == stages.size() && stages[i].activation.type.empty() && side.index.tensor(stages[i].tensor).quantization.quantized();
    };
    const bool of_onnx = !r_.index.op(r_op).domain.empty() && !q_.index.op(q_op).domain.empty();
    if (const auto named = of_onnx ? same_name(own, other) : std::nullopt) return *named;
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < other.size(); ++j) {
        const bool same = own[i].activation.same(other[j].activation) || limited(r_, own, i) || limited(q_, other, j);
        const bool fit = shapes_fit_turned(r_.index.tensor(own[i].tensor), q_.index.tensor(other[j].tensor));
        if (same && fit && i + j > best.first + best.second) best = {i, j};
      }
    }
    return {own[best.first].tensor, other[best.second].tensor};
  }

  /// Whether a map's grid has no values but those that an operator would let pass.
  static bool does_limit(const TensorInfo& map, const Operator* limit) {
    const auto clamp = limit == nullptr ? std::nullopt : kernels::clamp_of(*limit);
    const Quantization& q = map.quantization;
    if (!clamp || q.scale.size() != 1 || q.zero_point.size() != 1) return false;
    const IntegerRange range = integer_range(map.dtype);
    const double scale = static_cast<double>(q.scale[0]);
    const double low = scale * static_cast<double>(range.low - q.zero_point[0]),
                 high = scale * static_cast<double>(range.high - q.zero_point[0]);
    const double rounding = scale / 2;  // an end of the range need not fall on a step
    return low >= static_cast<double>(clamp->low) - rounding && high <= static_cast<double>(clamp->high) + rounding;
  }

  /// In ONNX models, who folds an operator into the one before it gives that the name of the last map. Converters to TFLite do not, nor
  /// does the QOperator form where the grid takes an activation's place: there it is the name of the map before.
  std::optional<std::pair<int, int>> same_name(const std::vector<Stage>& own, const std::vector<Stage>& other) const {
    for (auto r = own.rbegin(); r != own.rend(); ++r) {
      const TensorInfo& map = r_.index.tensor(r->tensor);
      for (const Stage& q : other) {
        const TensorInfo& twin = q_.index.tensor(q.tensor);
        if (map.name.empty() || map.name != twin.name || !shapes_fit_turned(map, twin)) continue;
        const bool limited = r != own.rbegin() && &q == &other.back() && does_limit(twin, std::prev(r)->limit);
        return std::pair(limited ? std::prev(r)->tensor : r->tensor, q.tensor);
      }
    }
    return std::nullopt;
  }

  bool done_behind(const PairSide& side, int op, const Operator& work) const {
    const auto& uses = side.graph.uses(op);
    return std::any_of(uses.begin(), uses.end(), [&](const OperatorUse& use) {
      const int reader = use.readers[0].node;
      return reader < side.graph.size() && side.graph.foldable(reader) && works_.same(side.index.op(reader), work);
    });
  }

  /// What two operators read that other operators make from the same maps, as where a normalization is one operator in one graph and five
  /// in the other. The maps' values have the last word (judge_pairs).
  void pair_blocks(const OperatorMatch& match) {
    const auto own = r_.graph.data_inputs(match.reference), other = q_.graph.data_inputs(match.quantized);
    if (own.size() != other.size()) return;
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (const int r : unmoved(r_, own[i])) {
        for (const int q : unmoved(q_, other[i])) {
          if (r_.partner[as_size(r)] != kNone || q_.partner[as_size(q)] != kNone) continue;
          if (!shapes_fit(r_.index.tensor(r), q_.index.tensor(q)) || !same_block(r_, r, q_, q)) continue;
          join(r, q, PairedBy::kStructure, false);
        }
      }
    }
  }

  /// A map, and what it is another order of, as long as nothing else reads that.
  static std::vector<int> unmoved(const PairSide& side, int tensor) {
    std::vector<int> maps{tensor};
    constexpr std::size_t kMost = 4;
    for (int maker = side.index.maker(tensor); maker != kNone && side.graph.moves(maker) && maps.size() < kMost;) {
      const int source = side.graph.data_inputs(maker)[0];
      if (side.index.maker(source) != kNone && side.graph.only_reader(side.index.maker(source)) != maker) break;
      maps.push_back(source);
      maker = side.index.maker(source);
    }
    return maps;
  }

  /// Parts and other orders of maps that are paired: they are told by what they read. Converters cut with SPLIT or with SLICE, and insert
  /// orders of their own.
  void pair_moves() {
    std::unordered_map<int, std::vector<int>> by_source;  // of the other graph's: by the map of the reference that they read
    for (const int r : r_.index.feature_maps()) {
      if (const int source = moved_from(r_, r); source != kNone) by_source[source].push_back(r);
    }
    for (const int q : q_.index.feature_maps()) {
      const int source = moved_from(q_, q), partner = source == kNone ? kNone : q_.partner[as_size(source)];
      if (partner == kNone) continue;
      for (const int r : by_source[unturned(r_.index, r_.index.origin(partner))]) {
        const bool sure = matches_[as_size(partner)].sure;
        if (same_move(r, q) && join(r, q, same_names(r, q) ? PairedBy::kName : PairedBy::kStructure, sure)) break;
      }
    }
  }

  /// What a map is a part or another order of; kNone where it is neither.
  static int moved_from(const PairSide& side, int tensor) {
    const int maker = side.index.maker(tensor);
    return maker != kNone && side.graph.moves(maker) ? unturned(side.index, side.index.data_inputs(maker)[0]) : kNone;
  }

  bool same_move(int r, int q) const {
    const int r_op = r_.index.maker(r), q_op = q_.index.maker(q);
    const auto place = [](const GraphIndex& index, int op, int tensor) {
      const auto& outputs = index.op(op).outputs;
      return static_cast<int>(std::find(outputs.begin(), outputs.end(), tensor) - outputs.begin());
    };
    const int r_place = place(r_.index, r_op, r), q_place = place(q_.index, q_op, q);
    const auto own = cut_of(r_.index, r_op, r_place), other = cut_of(q_.index, q_op, q_place);
    if (own && other) return same_part(*own, *other, works_.across()) && shapes_fit_turned(r_.index.tensor(r), q_.index.tensor(q));
    const Operator &a = r_.index.op(r_op), &b = q_.index.op(q_op);
    if (r_place != q_place || !works_.same(a, b) || !shapes_fit(r_.index.tensor(r), q_.index.tensor(q))) return false;
    return same_terms(a, b) ? same_details(r_.index, r_op, q_.index, q_op) : same_order(a, b);
  }

  /// Of operators of two formats whose results have one shape: the elements stand in the same order then if they did before.
  bool same_order(const Operator& a, const Operator& b) const {
    if (kernels::common_type(a) != "RESHAPE" || a.inputs.empty() || b.inputs.empty() || a.inputs[0] < 0 || b.inputs[0] < 0) return false;
    const auto sizes = [](const TensorInfo& map) {
      std::vector<std::int64_t> above_one(map.shape.dims().begin(), map.shape.dims().end());
      std::erase(above_one, 1);
      return above_one;
    };
    return sizes(r_.index.tensor(a.inputs[0])) == sizes(q_.index.tensor(b.inputs[0]));
  }

  static std::unordered_map<std::string_view, int> unique_names(const GraphIndex& index) {
    std::unordered_map<std::string_view, int> names;
    for (const int map : index.feature_maps()) {
      const auto [entry, fresh] = names.emplace(index.tensor(map).name, map);
      if (!fresh && entry->second != map) entry->second = kNone;
    }
    names.erase("");
    return names;
  }

  /// What operators do not tell: QUANTIZE and DEQUANTIZE that both have, and layers that one converter makes of other operators than the
  /// other. Operators of the same work had their chance.
  void pair_by_name() {
    const auto names = unique_names(q_.index), own = unique_names(r_.index);
    for (const int r : r_.index.feature_maps()) {
      const auto same = names.find(r_.index.tensor(r).name), self = own.find(r_.index.tensor(r).name);
      if (same == names.end() || same->second == kNone || self == own.end() || self->second != r) continue;
      const int q = same->second, maker = r_.index.maker(r), q_maker = q_.index.maker(q);
      const bool judged = maker != kNone && q_maker != kNone && works_.same(r_.index.op(maker), q_.index.op(q_maker));
      if (judged && !same_source(maker, q_maker)) continue;
      if (shapes_fit_turned(r_.index.tensor(r), q_.index.tensor(q))) join(r, q, PairedBy::kName);
    }
  }

  /// Both hand on, as they are or in another order, what is one map's values in both graphs, or a constant.
  bool same_source(int r_op, int q_op) const {
    if (!r_.index.passes_through(r_op) && !r_.graph.moves(r_op)) return false;
    const int r = root_of(r_, r_.index.op(r_op).outputs[0]), q = root_of(q_, q_.index.op(q_op).outputs[0]);
    const bool constant = r_.index.tensor(r).is_constant;
    return constant || q_.index.tensor(q).is_constant ? constant == q_.index.tensor(q).is_constant : q_.partner[as_size(q)] == r;
  }

  /// The map or constant that a chain of other orders, parts and grids begins with.
  static int root_of(const PairSide& side, int tensor) {
    while (true) {
      tensor = side.index.origin(tensor);
      const int maker = side.index.maker(tensor);
      if (maker == kNone || !side.graph.moves(maker)) return tensor;
      tensor = side.index.data_inputs(maker)[0];
    }
  }

  Pairing report() const {
    Pairing pairing;
    pairing.doubtful = doubtful_;
    for (const int r : r_.index.feature_maps()) {
      if (r_.partner[as_size(r)] != kNone) {
        pairing.matches.push_back(matches_[as_size(r)]);
      } else if (!r_.doubted[as_size(r)]) {
        pairing.unpaired.push_back({true, r, reason(r_, r, q_)});
      }
    }
    for (const int q : q_.index.feature_maps()) {
      if (q_.partner[as_size(q)] == kNone && !q_.doubted[as_size(q)]) pairing.unpaired.push_back({false, q, reason(q_, q, r_)});
    }
    return pairing;
  }

  static std::string reason(const PairSide& own, int tensor, const PairSide& other) {
    const GraphIndex& index = own.index;
    const int maker = index.maker(tensor);
    if (own.apart[as_size(tensor)]) return "left without partner on demand";
    if (maker == kNone) return "graph input without counterpart";
    if (index.passes_through(maker)) {
      return index.tensor(index.origin(tensor)).is_constant ? index.op(maker).type + " of a constant" : index.op(maker).type + " inserted";
    }
    if (std::string fused = taken_over(own, maker, other); !fused.empty()) return fused;
    for (const int map : other.index.feature_maps()) {
      if (!index.tensor(tensor).name.empty() && other.index.tensor(map).name == index.tensor(tensor).name &&
          !shapes_fit(index.tensor(tensor), other.index.tensor(map))) {
        return fmt::format("same name, but shape {} here and {} in the other model", to_string(index.tensor(tensor).shape),
                           to_string(other.index.tensor(map).shape));
      }
    }
    const std::string otherwise = done_otherwise(own, maker, other);
    return fmt::format("no {} in the other model with the same inputs and shape{}{}", index.op(maker).label(),
                       otherwise.empty() ? "" : "; ", otherwise);
  }

  /// Says so where an operator behind this one, and so this one's map too, is a part of one operator of the other graph.
  static std::string taken_over(const PairSide& own, int maker, const PairSide& other) {
    int first = kNone;  // what was done to the map
    for (int next = own.graph.only_reader(maker); next != kNone; next = own.graph.only_reader(next)) {
      if (kernels::facts_of(own.index.op(next)).reorders && !own.op_paired[as_size(next)]) continue;
      if (!own.graph.foldable(next)) break;
      if (first == kNone) first = next;
      const int partner = own.partner[as_size(own.index.op(next).outputs[0])];
      if (partner == kNone) continue;
      if (own.op_paired[as_size(next)]) break;
      return fmt::format("{} fused into '{}'", own.index.op(first).type, other.index.tensor(partner).name);
    }
    return {};
  }

  PairSide r_, q_;
  Works works_;
  std::vector<TensorMatch> matches_;  ///< per tensor of the reference
  std::vector<DoubtfulMatch> doubtful_;
};

}  // namespace

Pairing pair_graphs(const Subgraph& reference, const Subgraph& quantized, const std::vector<int>& input_order,
                    const std::vector<PairRule>& rules) {
  return MapPairer(reference, quantized).run(input_order, rules);
}

}  // namespace visq::quant
