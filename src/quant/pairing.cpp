#include "core/as_size.h"
#include "quant/pair_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernels/constants/dequantize_constant.h"
#include "kernels/op.h"
#include "quant/graph_index.h"
#include "quant/sequence_match.h"

namespace visq::quant {
namespace {

/// Same sizes; an axis that the file leaves open (-1 in the signature) fits any size.
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

/// The first rows of a large constant, enough of them to tell whether two are alike; the constant itself where it cannot be cut.
TensorInfo leading_rows(const TensorInfo& constant) {
  constexpr std::int64_t kEnough = 16384;
  const std::int64_t elements = constant.shape.elements();
  TensorInfo part = constant;
  if (elements <= kEnough || constant.sparsity != nullptr || constant.quantization.block_size != 0 || bits(constant.dtype) < 8) return part;
  const std::int64_t rows = constant.shape[0], length = elements / rows;
  const std::int64_t taken = std::min(rows, (kEnough + length - 1) / length);
  part.shape[0] = taken;
  part.data = constant.data.first(as_size(taken * length) * size_of(constant.dtype));
  if (constant.quantization.per_channel() && constant.quantization.axis == 0) {
    part.quantization.scale.resize(as_size(taken));
    part.quantization.zero_point.resize(as_size(taken));
  }
  return part;
}

/// Cosine of two constants after dequantization; nothing where they cannot be compared.
std::optional<double> constant_cosine(const TensorInfo* a, const TensorInfo* b) {
  if (a == nullptr || b == nullptr || a->shape.elements() != b->shape.elements()) return std::nullopt;
  const bool alike = a->shape == b->shape;
  const auto x = kernels::dequantize_constant(alike ? leading_rows(*a) : *a, "");
  const auto y = kernels::dequantize_constant(alike ? leading_rows(*b) : *b, "");
  if (!x.ok() || !y.ok()) return std::nullopt;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < std::min(x->size(), y->size()); ++i) {
    const double u = (*x)[i];
    const double v = (*y)[i];
    xx += u * u, yy += v * v, xy += u * v;
  }
  if (xx == 0 || yy == 0) return xx == yy ? 1.0 : 0.0;
  return xy / std::sqrt(xx * yy);
}

/// The operator type that a fused activation stands for, e.g. "RELU6"; empty for NONE.
std::string_view fused_activation(const Operator& op) {
  const std::string_view name = op.attributes.text("fused_activation_function", "NONE");
  return name == "NONE" ? std::string_view() : name;
}

class Pairer {
 public:
  Pairer(const Subgraph& reference, const Subgraph& quantized)
      : r_(reference),
        q_(quantized),
        r_partner_(r_.graph().tensors.size(), kNone),
        q_partner_(q_.graph().tensors.size(), kNone),
        by_(r_.graph().tensors.size(), PairedBy::kName) {}

  Pairing run(const std::vector<int>& input_order) {
    for (std::size_t i = 0; i < input_order.size(); ++i) {
      const int r = r_.graph().inputs[as_size(input_order[i])];
      const int q = q_.graph().inputs[i];
      join(r, q, r_.tensor(r).name == q_.tensor(q).name ? PairedBy::kName : PairedBy::kStructure);
    }
    pair_by_name();
    while (pair_by_dataflow() || pair_by_sequence()) {
    }
    return report();
  }

 private:
  bool join(int r, int q, PairedBy by) {
    if (partner_of_r(r) != kNone || partner_of_q(q) != kNone) return false;
    r_partner_[as_size(r)] = q;
    q_partner_[as_size(q)] = r;
    by_[as_size(r)] = by;
    return true;
  }
  int partner_of_r(int r) const { return r_partner_[as_size(r)]; }
  int partner_of_q(int q) const { return q_partner_[as_size(q)]; }

  static std::unordered_map<std::string_view, int> unique_names(const GraphIndex& index) {
    std::unordered_map<std::string_view, int> names;
    for (const int map : index.feature_maps()) {
      const auto [entry, fresh] = names.emplace(index.tensor(map).name, map);
      if (!fresh && entry->second != map) entry->second = kNone;
    }
    names.erase("");
    return names;
  }

  /// Where the converter gave an operator's name to the DEQUANTIZE (QUANTIZE) behind it, the operator itself is the partner.
  static int behind_pass_through(const GraphIndex& index, int tensor, std::string_view type) {
    const int maker = index.maker(tensor);
    if (maker == kNone || !index.passes_through(maker)) return tensor;
    const int source = index.origin(tensor);
    const int source_maker = index.maker(source);
    return source_maker != kNone && index.op(source_maker).type == type ? source : tensor;
  }

  void pair_by_name() {
    const auto names = unique_names(q_);
    const auto own = unique_names(r_);
    for (const int r : r_.feature_maps()) {
      const auto same = names.find(r_.tensor(r).name);
      const auto self = own.find(r_.tensor(r).name);
      if (same == names.end() || same->second == kNone || self == own.end() || self->second != r) continue;
      const int maker = r_.maker(r);
      const int q = maker == kNone ? same->second : behind_pass_through(q_, same->second, r_.op(maker).type);
      if (shapes_fit(r_.tensor(r), q_.tensor(q))) join(r, q, PairedBy::kName);
    }
  }

  /// Pairs every operator of the quantized graph whose computed inputs are paired already with the operator of the reference that reads
  /// the same values, does the same, and makes the same shape; where several do, the one with the most similar weights.
  bool pair_by_dataflow() {
    bool progress = false;
    for (std::size_t i = 0; i < q_.graph().operators.size(); ++i) {
      const int op = static_cast<int>(i);
      if (q_.passes_through(op) || !unpaired(q_, op, q_partner_)) continue;
      std::vector<int> inputs;
      for (const int input : q_.data_inputs(op)) inputs.push_back(reference_value(input));
      if (inputs.empty() || std::find(inputs.begin(), inputs.end(), kNone) != inputs.end()) continue;
      progress = pair_operator(op, inputs) || progress;
    }
    return progress;
  }

  /// The reference tensor whose values a tensor of the quantized graph stands for.
  int reference_value(int q) const {
    const int partner = partner_of_q(q);
    return partner == kNone ? kNone : r_.origin(partner);
  }

  static bool unpaired(const GraphIndex& index, int op, const std::vector<int>& partners) {
    const auto& outputs = index.op(op).outputs;
    return std::all_of(outputs.begin(), outputs.end(), [&](int output) { return partners[as_size(output)] == kNone; });
  }

  bool pair_operator(int q_op, const std::vector<int>& inputs) {
    int best = kNone;
    double best_cosine = -2;
    for (const int candidate : readers_of_value(inputs[0])) {
      const int counterpart = counterpart_end(candidate, q_op);
      if (counterpart == kNone || r_.data_inputs(candidate) != inputs) continue;
      const double cosine = constant_cosine(r_.largest_constant(candidate), q_.largest_constant(q_op)).value_or(-1);
      if (cosine > best_cosine) best = counterpart, best_cosine = cosine;
    }
    if (best == kNone) return false;
    bool joined = false;
    for (std::size_t k = 0; k < q_.op(q_op).outputs.size(); ++k) {
      joined = join(r_.op(best).outputs[k], q_.op(q_op).outputs[k], PairedBy::kStructure) || joined;
    }
    return joined;
  }

  /// Operators that read a reference tensor, also through QUANTIZE and DEQUANTIZE.
  std::vector<int> readers_of_value(int value) const {
    std::vector<int> result;
    std::vector<int> open{value};
    while (!open.empty()) {
      const int tensor = open.back();
      open.pop_back();
      for (const int reader : r_.readers(tensor)) {
        if (r_.passes_through(reader)) {
          open.push_back(r_.op(reader).outputs[0]);
        } else {
          result.push_back(reader);
        }
      }
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  /// The reference operator whose outputs equal those of `q_op` if `candidate` does the same work: itself, or the activation behind it
  /// that the quantized operator has fused; none where they do not fit.
  int counterpart_end(int candidate, int q_op) const {
    if (r_.op(candidate).type != q_.op(q_op).type || !unpaired(r_, candidate, r_partner_) || !outputs_fit(candidate, q_op)) return kNone;
    const std::string_view fused = fused_activation(q_.op(q_op));
    if (fused == fused_activation(r_.op(candidate))) {
      return activation_absorbed(candidate, q_op);
    }
    if (fused.empty() || !fused_activation(r_.op(candidate)).empty()) return candidate;
    const auto& readers = r_.readers(r_.op(candidate).outputs[0]);
    const bool follows =
        readers.size() == 1 && r_.op(readers[0]).type == fused && unpaired(r_, readers[0], r_partner_) && outputs_fit(readers[0], q_op);
    return follows ? readers[0] : candidate;
  }

  /// A converter may also drop a RELU whose bounds the quantized range already holds. Then the readers of the quantized output do what the
  /// readers of the activation do, and nobody in the quantized graph does the activation.
  int activation_absorbed(int candidate, int q_op) const {
    const auto& readers = r_.readers(r_.op(candidate).outputs[0]);
    const bool follows = readers.size() == 1 && kernels::facts_of(r_.op(readers[0])).clamps && unpaired(r_, readers[0], r_partner_) &&
                         outputs_fit(readers[0], q_op);
    if (!follows) return candidate;
    const int output = q_.op(q_op).outputs[0];
    const auto& q_readers = q_.readers(output);
    const bool done_there =
        std::any_of(q_readers.begin(), q_readers.end(), [&](int op) { return q_.op(op).type == r_.op(readers[0]).type; });
    return done_there || !q_.tensor(output).quantization.quantized() ? candidate : readers[0];
  }

  bool outputs_fit(int r_op, int q_op) const {
    const auto& r_outputs = r_.op(r_op).outputs;
    const auto& q_outputs = q_.op(q_op).outputs;
    if (r_outputs.size() != q_outputs.size() || r_outputs.empty()) return false;
    for (std::size_t k = 0; k < r_outputs.size(); ++k) {
      if (!shapes_fit(r_.tensor(r_outputs[k]), q_.tensor(q_outputs[k]))) return false;
    }
    return true;
  }

  /// What dataflow leaves open: operators between two paired ones that stand in the same order, with equal types and shapes.
  bool pair_by_sequence() {
    const auto open_ops = [](const GraphIndex& index, const std::vector<int>& partners) {
      std::vector<int> ops;
      for (std::size_t i = 0; i < index.graph().operators.size(); ++i) {
        const int op = static_cast<int>(i);
        if (!index.passes_through(op) && !index.op(op).outputs.empty() && unpaired(index, op, partners)) ops.push_back(op);
      }
      return ops;
    };
    const std::vector<int> r_ops = open_ops(r_, r_partner_);
    const std::vector<int> q_ops = open_ops(q_, q_partner_);
    const auto same = [&](std::size_t i, std::size_t j) {
      return r_.op(r_ops[i]).type == q_.op(q_ops[j]).type && outputs_fit(r_ops[i], q_ops[j]) && inputs_agree(r_ops[i], q_ops[j]);
    };
    bool progress = false;
    for (const auto& [i, j] : longest_common_sequence(r_ops.size(), q_ops.size(), same)) {
      for (std::size_t k = 0; k < r_.op(r_ops[i]).outputs.size(); ++k) {
        progress = join(r_.op(r_ops[i]).outputs[k], q_.op(q_ops[j]).outputs[k], PairedBy::kStructure) || progress;
      }
    }
    return progress;
  }

  /// No computed input of one stands for something else than the other's.
  bool inputs_agree(int r_op, int q_op) const {
    const auto r_inputs = r_.data_inputs(r_op);
    const auto q_inputs = q_.data_inputs(q_op);
    if (r_inputs.size() != q_inputs.size()) return false;
    for (std::size_t k = 0; k < r_inputs.size(); ++k) {
      const int value = reference_value(q_inputs[k]);
      if (value != kNone && value != r_inputs[k]) return false;
    }
    return true;
  }

  Pairing report() const {
    Pairing pairing;
    for (const int r : r_.feature_maps()) {
      const int q = partner_of_r(r);
      if (q != kNone) {
        pairing.matches.push_back({r, q, by_[as_size(r)]});
      } else {
        pairing.unpaired.push_back({true, r, reason(r_, r, q_)});
      }
    }
    for (const int q : q_.feature_maps()) {
      if (partner_of_q(q) == kNone) pairing.unpaired.push_back({false, q, reason(q_, q, r_)});
    }
    return pairing;
  }

  std::string reason(const GraphIndex& own, int tensor, const GraphIndex& other) const {
    const int maker = own.maker(tensor);
    if (maker == kNone) return "graph input without counterpart";
    if (own.passes_through(maker)) {
      return own.tensor(own.origin(tensor)).is_constant ? own.op(maker).type + " of a constant" : own.op(maker).type + " inserted";
    }
    const bool in_reference = &own == &r_;
    for (const int reader : own.readers(tensor)) {
      const int output = own.op(reader).outputs.empty() ? kNone : own.op(reader).outputs[0];
      const int partner = output == kNone ? kNone : (in_reference ? partner_of_r(output) : partner_of_q(output));
      if (partner != kNone && own.op(maker).type == other_type(other, partner) && own.op(reader).type != own.op(maker).type) {
        return fmt::format("{} fused into '{}'", own.op(reader).type, other.tensor(partner).name);
      }
    }
    for (const int map : other.feature_maps()) {
      if (!own.tensor(tensor).name.empty() && other.tensor(map).name == own.tensor(tensor).name) {
        return fmt::format("same name, but shape {} here and {} in the other model", to_string(own.tensor(tensor).shape),
                           to_string(other.tensor(map).shape));
      }
    }
    return fmt::format("no {} in the other model with the same inputs and shape", own.op(maker).label());
  }

  static std::string_view other_type(const GraphIndex& index, int tensor) {
    const int maker = index.maker(tensor);
    return maker == kNone ? std::string_view() : std::string_view(index.op(maker).type);
  }

  GraphIndex r_, q_;
  std::vector<int> r_partner_, q_partner_;
  std::vector<PairedBy> by_;
};

}  // namespace

Pairing pair_graphs(const Subgraph& reference, const Subgraph& quantized, const std::vector<int>& input_order) {
  return Pairer(reference, quantized).run(input_order);
}

std::vector<double> weight_similarities(const Model& reference, const Model& quantized, const Pairing& pairing, std::size_t sample) {
  const GraphIndex r(reference.main());
  const GraphIndex q(quantized.main());
  std::vector<std::pair<const TensorInfo*, const TensorInfo*>> weights;
  constexpr std::int64_t kFewest = 16;  // shorter constants agree or differ by chance
  for (const TensorMatch& match : pairing.matches) {
    const int r_op = r.maker(match.reference);
    const int q_op = q.maker(match.quantized);
    if (r_op == kNone || q_op == kNone) continue;
    const TensorInfo* a = r.largest_constant(r_op);
    const TensorInfo* b = q.largest_constant(q_op);
    if (a != nullptr && b != nullptr && a->shape.elements() >= kFewest && a->shape.elements() == b->shape.elements())
      weights.emplace_back(a, b);
  }
  std::vector<double> cosines;
  const std::size_t stride = std::max<std::size_t>(1, weights.size() / std::max<std::size_t>(1, sample));
  for (std::size_t i = 0; i < weights.size(); i += stride) {
    if (const auto cosine = constant_cosine(weights[i].first, weights[i].second)) cosines.push_back(*cosine);
  }
  return cosines;
}

}  // namespace visq::quant
