#include <algorithm>

#include "kernels/op.h"
#include "quant/pairing.h"
#include "quant/weight_look.h"
#include "quant/work.h"

namespace visq::quant {
namespace {

constexpr std::int64_t kFewestElements = 16;  // shorter constants agree or differ by chance
constexpr std::int64_t kEnoughElements = 16384;

}  // namespace

std::vector<double> weight_similarities(const Model& reference, const Model& quantized, const Pairing& pairing, std::size_t sample) {
  const GraphIndex r(reference.main());
  const GraphIndex q(quantized.main());
  struct Weights {
    const TensorInfo *reference, *quantized;
    int reference_op, quantized_op;
  };
  const Works works(reference.main(), quantized.main());
  std::vector<Weights> weights;
  for (const TensorMatch& match : pairing.matches) {
    const int r_op = r.maker(match.reference), q_op = q.maker(match.quantized);
    if (r_op == kNone || q_op == kNone) continue;
    const TensorInfo *a = r.largest_constant(r_op), *b = q.largest_constant(q_op);
    if (a == nullptr || b == nullptr || a->shape.elements() < kFewestElements || a->shape.elements() != b->shape.elements()) continue;
    weights.push_back({a, b, r_op, q_op});
  }
  std::vector<double> cosines;
  const std::size_t stride = std::max<std::size_t>(1, weights.size() / std::max<std::size_t>(1, sample));
  for (std::size_t i = 0; i < weights.size(); i += stride) {
    const auto& [a_weights, b_weights, a_op, b_op] = weights[i];
    const auto slots = kernels::facts_of(r.op(a_op)).weights;
    const int axis = slots ? slots->channel_axis : -1;
    const auto look = [&](const Operator& op, const TensorInfo& constant) {
      return works.by_kind() ? look_at_weights(op, constant, kEnoughElements) : look_at(constant, axis, kEnoughElements);
    };
    const auto a = look(r.op(a_op), *a_weights), b = look(q.op(b_op), *b_weights);
    const auto alike = a && b ? likeness(*a, *b) : std::nullopt;
    if (alike) cosines.push_back(*alike);
  }
  return cosines;
}

}  // namespace visq::quant
