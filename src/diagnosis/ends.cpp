#include "diagnosis/ends.h"

#include <algorithm>

#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// The squashing operator that a tensor's values come from, behind those that only move them; null: none.
const Operator* squashing(const quant::GraphIndex& graph, int tensor) {
  for (int maker = graph.maker(tensor); maker >= 0; maker = graph.maker(tensor)) {
    const Operator& op = graph.op(maker);
    const kernels::OpDef& facts = kernels::facts_of(op);
    if (!graph.passes_through(maker) && !facts.reorders) return facts.fixed_grid.scale8 != 0 ? &op : nullptr;
    tensor = input_of(op, 0);
    if (tensor == kNoTensor) break;
  }
  return nullptr;
}

}  // namespace

std::optional<DifferentEnds> different_ends(const Subject& subject) {
  const auto &f = subject.reference().main().outputs, &q = subject.quantized().main().outputs;
  for (std::size_t i = 0; i < std::min(f.size(), q.size()); ++i) {
    const int partner = subject.reference_of(q[i]);
    const int output = std::find(f.begin(), f.end(), partner) != f.end() ? partner : f[i];  // the same output, wherever it stands
    const Operator *ours = squashing(subject.r(), output), *theirs = squashing(subject.q(), q[i]);
    if ((ours == nullptr) == (theirs == nullptr)) continue;
    if (subject.r().tensor(output).shape.elements() != subject.q().tensor(q[i]).shape.elements()) continue;
    return DifferentEnds{ours == nullptr ? theirs->type : ours->type, ours != nullptr, i};
  }
  return std::nullopt;
}

}  // namespace visq::diagnosis
