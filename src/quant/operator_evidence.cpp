#include "quant/operator_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/op.h"
#include "quant/name_parts.h"
#include "quant/weight_look.h"

namespace visq::quant {
namespace {

constexpr std::int64_t kEnoughWeights = 4096;
/// Fewer values agree or differ by chance: they count as details.
constexpr std::size_t kFewestWeights = 16;
/// A name that stands later in a list, or on what was absorbed, says less than the first of the operator's own.
constexpr double kLaterName = 0.8;

/// Computed values do not depend on the activation that one converter fuses and another does not.
bool options_agree(const Operator& a, const Operator& b) {
  for (const auto& [key, value] : a.attributes.all()) {
    const Attribute* other = b.attributes.find(key);
    if (key != "fused_activation_function" && other != nullptr && *other != value) return false;
  }
  return true;
}

/// Integer constants: axes, begins and ends, orders. Nothing where there are none to compare.
std::optional<bool> integers_agree(const GraphIndex& r, int r_op, const GraphIndex& q, int q_op) {
  const auto list = [](const GraphIndex& index, int op) {
    std::vector<const TensorInfo*> constants;
    for (const int input : index.op(op).inputs) {
      if (input >= 0 && index.tensor(input).is_constant && is_integer(index.tensor(input).dtype) &&
          !index.tensor(input).quantization.quantized())
        constants.push_back(&index.tensor(input));
    }
    return constants;
  };
  const auto a = list(r, r_op), b = list(q, q_op);
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](const TensorInfo* x, const TensorInfo* y) { return x->dtype != y->dtype || std::ranges::equal(x->data, y->data); });
}

bool values_near(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr double kNear = 0.05;  // rounding to 8 bits, and some training
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i])));
    difference = std::max(difference, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return a.size() == b.size() && difference <= kNear * largest;
}

}  // namespace

bool shapes_fit(const TensorInfo& a, const TensorInfo& b) {
  if (a.shape.rank() != b.shape.rank()) return !a.has_rank || !b.has_rank;
  const auto open = [](const TensorInfo& t, int axis) {
    return axis < static_cast<int>(t.shape_signature.size()) && t.shape_signature[as_size(axis)] < 0;
  };
  for (int axis = 0; axis < a.shape.rank(); ++axis) {
    if (a.shape[axis] != b.shape[axis] && !open(a, axis) && !open(b, axis)) return false;
  }
  return true;
}

bool shapes_fit_turned(const TensorInfo& a, const TensorInfo& b) {
  if (shapes_fit(a, b)) return true;
  const int rank = a.shape.rank();
  if (rank < 3 || b.shape.rank() != rank || a.shape[0] != b.shape[0]) return false;
  const auto own = a.shape.dims().subspan(1), other = b.shape.dims().subspan(1);
  const auto turned = [](auto first, auto last) {  // (channels, …) and (…, channels)
    return first.front() == last.back() && std::ranges::equal(first.subspan(1), last.first(last.size() - 1));
  };
  return turned(own, other) || turned(other, own);
}

bool same_details(const GraphIndex& r, int r_op, const GraphIndex& q, int q_op) {
  if (!same_terms(r.op(r_op), q.op(q_op))) return true;
  return options_agree(r.op(r_op), q.op(q_op)) && integers_agree(r, r_op, q, q_op).value_or(true);
}

EvidenceBook::EvidenceBook(const OperatorGraph& reference, const OperatorGraph& quantized)
    : works_(reference.index().graph(), quantized.index().graph()), r_{reference, {}, {}, {}, {}, {}}, q_{quantized, {}, {}, {}, {}, {}} {
  for (Side* side : {&r_, &q_}) {
    const auto size = as_size(side->graph.size());
    side->names.resize(size);
    side->weights.resize(size);
    side->biases.resize(size);
    side->seen.assign(size, false);
    read_names(*side);
  }
}

/// An operator's names are those of its outputs, of QUANTIZE and DEQUANTIZE behind them (some converters give these the operator's name),
/// and of what other converters put into it.
void EvidenceBook::read_names(Side& side) const {
  const GraphIndex& index = side.graph.index();
  const auto note = [&](int op, int tensor, double worth) {
    for (const std::string_view part : name_parts(index.tensor(tensor).name)) {
      double& known = side.names[as_size(op)][part];
      known = std::max(known, worth);
      worth = std::min(worth, kLaterName);
    }
  };
  for (int op = 0; op < side.graph.size(); ++op) {
    if (index.passes_through(op)) continue;
    for (const int output : index.op(op).outputs) {
      note(op, output, 1);
      for (const int reader : index.readers(output)) {
        if (index.passes_through(reader)) note(op, index.op(reader).outputs[0], kLaterName);
      }
    }
    int at = side.graph.only_reader(op);
    for (int step = 0; step < 4 && at != kNone && side.graph.foldable(at); ++step, at = side.graph.only_reader(at)) {
      note(op, index.op(at).outputs[0], kLaterName);
    }
    for (const auto& [name, worth] : side.names[as_size(op)]) ++side.bearers[{works_.of(index.op(op)), name}];
  }
}

void EvidenceBook::look_at_constants(Side& side, int op) const {
  if (side.seen[as_size(op)]) return;
  side.seen[as_size(op)] = true;
  const GraphIndex& index = side.graph.index();
  const auto slots = kernels::facts_of(index.op(op)).weights;
  if (const TensorInfo* weights = index.largest_constant(op)) {
    side.weights[as_size(op)] = works_.by_kind() ? look_at_weights(index.op(op), *weights, kEnoughWeights)
                                                 : look_at(*weights, slots ? slots->channel_axis : -1, kEnoughWeights);
  }
  if (!slots || slots->bias >= index.op(op).inputs.size() || index.op(op).inputs[slots->bias] < 0) return;
  const TensorInfo& bias = index.tensor(index.origin(index.op(op).inputs[slots->bias]));
  if (bias.is_constant) side.biases[as_size(op)] = look_at(bias, -1, kEnoughWeights);
}

double EvidenceBook::name_evidence(int r_op, int q_op) const {
  const Names &own = r_.names[as_size(r_op)], &other = q_.names[as_size(q_op)];
  const std::string_view work = works_.of(r_.graph.index().op(r_op));
  double best = 0;
  for (const auto& [name, worth] : own) {
    const auto found = other.find(name);
    if (found == other.end()) continue;
    const double bearers = static_cast<double>(r_.bearers.at({work, name})) * static_cast<double>(q_.bearers.at({work, name}));
    best = std::max(best, worth * found->second / std::sqrt(bearers));
  }
  return best;
}

double EvidenceBook::detail_evidence(int r_op, int q_op) const {
  constexpr double kOptions = 0.75, kIntegers = 1, kValues = 1, kBias = 0.5;
  const GraphIndex &r = r_.graph.index(), &q = q_.graph.index();
  double sum = 0;
  if (same_terms(r.op(r_op), q.op(q_op))) {
    if (!options_agree(r.op(r_op), q.op(q_op))) sum -= kOptions;
    if (const auto agree = integers_agree(r, r_op, q, q_op)) sum += *agree ? kIntegers / 4 : -kIntegers;
  }
  const auto &a = r_.weights[as_size(r_op)], &b = q_.weights[as_size(q_op)];
  if (a && b && a->values.size() < kFewestWeights) sum += values_near(a->values, b->values) ? kValues : -kValues;
  const auto &x = r_.biases[as_size(r_op)], &y = q_.biases[as_size(q_op)];
  constexpr double kAlike = 0.95;
  if (x && y && x->values.size() > 3 && likeness(*x, *y).value_or(0) > kAlike) sum += kBias;
  return sum;
}

std::optional<Evidence> EvidenceBook::look(int r_op, int q_op) {
  const Operator &r = r_.graph.index().op(r_op), &q = q_.graph.index().op(q_op);
  if (!works_.same(r, q) || r.outputs.size() != q.outputs.size() || r.outputs.empty()) return std::nullopt;
  if (r_.graph.foldable(r_op) != q_.graph.foldable(q_op)) return std::nullopt;  // by a constant, or two maps
  for (std::size_t k = 0; k < r.outputs.size(); ++k) {
    if (!shapes_fit_turned(r_.graph.index().tensor(r.outputs[k]), q_.graph.index().tensor(q.outputs[k]))) return std::nullopt;
  }
  look_at_constants(r_, r_op);
  look_at_constants(q_, q_op);
  const auto &a = r_.weights[as_size(r_op)], &b = q_.weights[as_size(q_op)];
  if (a && b && a->shape.elements() != b->shape.elements()) return std::nullopt;
  Evidence evidence{name_evidence(r_op, q_op), {}, detail_evidence(r_op, q_op)};
  if (a && b && a->values.size() >= kFewestWeights) evidence.weights = likeness(*a, *b);
  return evidence;
}

}  // namespace visq::quant
