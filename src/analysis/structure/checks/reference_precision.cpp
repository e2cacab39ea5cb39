// reference-precision: the model that errors are measured against is itself quantized.
#include "analysis/facts/quantization_scheme.h"
#include "analysis/structure/check_context.h"
#include "core/error.h"

namespace visq::analysis::check_reference_precision {
namespace {

void run(const CheckContext& context, Findings& findings) {
  if (context.reference == nullptr) return;
  std::int64_t weights = 0, quantized = 0;
  for (const Operator& op : context.reference->main().operators) {
    const auto slots = kernels::facts_of(op).weights;
    const int tensor = slots ? input_of(op, slots->weight) : -1;
    if (tensor < 0) continue;
    const quant::GraphIndex& lookup = context.reference_graph.front().lookup;
    const TensorInfo& weight = lookup.tensor(lookup.origin(tensor));
    if (!weight.is_constant) continue;
    ++weights;
    quantized += is_quantized(weight) || weight.quantization.block_size > 0 ? 1 : 0;
  }
  if (quantized == 0) return;
  // A reference that computes on quantized maps was chosen as such; one that looks like a float model may not have been.
  const bool plain = default_mode(*context.reference) == Mode::kFp32;
  findings.add(plain ? Severity::kWarning : Severity::kHint, true,
               fmt::format("no float model: the weights of {} of {} layers are quantized ({})", quantized, weights,
                           quantization_scheme(*context.reference)),
               {{"layers", static_cast<double>(quantized)}, {"of", static_cast<double>(weights)}});
}

constexpr CheckDef kCheck{"reference-precision", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_reference_precision
