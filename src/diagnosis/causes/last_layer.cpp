// LAST_LAYER: the precision of the model's output, or of what the output is made of without further weights, is too low.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "diagnosis/suspicion.h"
#include "kernels/op.h"

namespace visq::diagnosis::cause_last_layer {
namespace {

/// Operators behind a last layer: they hand values on or squash them.
bool only_finishes(const Subject& subject, int node, DType type) {
  const kernels::OpDef& facts = kernels::facts_of(subject.q().op(node));
  return subject.q().passes_through(node) || facts.fixed_grid.scale8 != 0 || facts.keeps_codes.has(type);
}

/// Per tensor: whether it reaches outputs of the graph through finishing operators, and nothing else reads it.
std::vector<bool> last_maps(const Subject& subject) {
  const Subgraph& graph = subject.quantized().main();
  std::vector<bool> last(graph.tensors.size(), false);
  for (const int output : graph.outputs) last[as_size(output)] = subject.q().readers(output).empty();
  for (std::size_t i = graph.operators.size(); i-- > 0;) {  // readers come before what they read
    for (const int output : graph.operators[i].outputs) {
      const auto& readers = subject.q().readers(output);
      if (readers.empty()) continue;
      last[as_size(output)] = std::all_of(readers.begin(), readers.end(), [&](int reader) {
        const Operator& op = subject.q().op(reader);
        return only_finishes(subject, reader, subject.q().tensor(output).dtype) && op.outputs.size() == 1 && last[as_size(op.outputs[0])];
      });
    }
  }
  return last;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const std::vector<bool> last = last_maps(subject);
  for (const QuantizedMap& map : symptoms.maps()) {
    const double used = map.used_width();
    const int maker = subject.q().maker(map.tensor);
    if (maker < 0 || used <= 0 || has_fixed_grid(subject, map.tensor) || !last[as_size(map.tensor)]) continue;
    if (symptoms.first_of_group(map.tensor) != map.tensor) continue;
    const bool symmetric = subject.q().tensor(map.tensor).dtype == DType::kInt16;
    const double need = symmetric ? 2 * std::max(-map.values->low(), map.values->high()) : used;
    const double lost = std::log2(map.offered_width() / need);
    if (lost < options.last_layer_bits) continue;
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.text = fmt::format(
        "the model's last layer: its range [{:.4g}, {:.4g}] wastes {:.1f} bits of its precision, the data need [{:.4g}, {:.4g}]",
        map.offered.low, map.offered.high, lost, map.values->low(), map.values->high());
    suspicion.evidence = {{"bits_lost", lost},
                          {"threshold", options.last_layer_bits},
                          {"range_low", map.offered.low},
                          {"range_high", map.offered.high},
                          {"needed_low", map.values->low()},
                          {"needed_high", map.values->high()}};
    suspicion.strong = true;
    suspicion.remedies.push_back(new_range(symptoms, map.tensor));
  }
}

constexpr CauseDef kCause{"LAST_LAYER", 20, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_last_layer
