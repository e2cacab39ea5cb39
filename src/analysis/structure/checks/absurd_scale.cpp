// absurd-scale: a scale that no data can have asked for: zero, negative, infinite, NaN, at most 1e-20 or at least 1e10.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/as_size.h"
#include "core/error.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::analysis::check_absurd_scale {
namespace {

/// A constant without any value other than zero may have any scale: nothing hangs on it.
bool holds_only_zeros(const TensorInfo& tensor) {
  if (!tensor.is_constant || tensor.quantization.per_channel()) return false;
  const auto stored = kernels::stored_integers(tensor, "");
  if (!stored.ok()) return false;
  const auto zero = static_cast<std::int32_t>(tensor.quantization.zero_point.front());
  return std::all_of(stored->begin(), stored->end(), [&](std::int32_t code) { return code == zero; });
}

void run(const CheckContext& context, Findings& findings) {
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t t = 0; t < graph.graph().tensors.size(); ++t) {
      const int index = static_cast<int>(t);
      const TensorInfo& tensor = graph.lookup.tensor(index);
      const auto& scale = tensor.quantization.scale;
      const auto absurd = std::count_if(scale.begin(), scale.end(), is_absurd_scale);
      if (absurd == 0 || !is_quantized(tensor)) continue;
      const auto channel = std::find_if(scale.begin(), scale.end(), is_absurd_scale) - scale.begin();
      const auto value = static_cast<double>(scale[as_size(channel)]);
      const int maker = graph.lookup.maker(index);
      const auto& readers = graph.lookup.readers(index);
      const bool harmless = (readers.empty() && !graph.is_output(index)) || holds_only_zeros(tensor);
      std::string text = scale.size() == 1 ? fmt::format("its scale is {}", scale[0])
                                           : fmt::format("{} of {} scales are absurd, the first {} in channel {}", absurd, scale.size(),
                                                         scale[as_size(channel)], channel);
      findings.add(harmless ? Severity::kHint : Severity::kError, graph, maker >= 0 || readers.empty() ? maker : readers[0], index,
                   std::move(text), {{"scale", value}, {"channel", static_cast<double>(channel)}, {"count", static_cast<double>(absurd)}});
    }
  }
}

constexpr CheckDef kCheck{"absurd-scale", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_absurd_scale
