#include "kernels/parameters.h"

#include <cmath>

#include "core/as_size.h"
#include "kernels/activation.h"

namespace visq::kernels {

Result<int> checked_axis(const PrepareContext& context, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return context.fail("axis {} is out of range for rank {}", axis, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::int64_t> integer(PrepareContext& context, int slot, std::string_view role) {
  VISQ_ASSIGN(const auto values, integers_of(context, slot, role, 1));
  return values[0];
}

Result<std::vector<std::int64_t>> integers_of(PrepareContext& context, int slot, std::string_view role, int count) {
  VISQ_ASSIGN(auto values, context.integers(slot, role));
  if (values.size() != as_size(count)) return context.fail("{} has {} values, expected {}", role, values.size(), count);
  return values;
}

Result<RealRange> fused_range(const PrepareContext& context) {
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  if (!is_clamp(activation)) return context.unsupported("fused activation {}", context.attributes().text("fused_activation_function"));
  const backend::Clamp clamp = clamp_of(activation);
  if (context.attributes().flag(kKeepsInfinities)) return RealRange{clamp.low, clamp.high};
  const auto finite = [](float bound) { return std::isinf(bound) ? std::copysign(std::numeric_limits<double>::max(), bound) : bound; };
  return RealRange{finite(clamp.low), finite(clamp.high)};
}

}  // namespace visq::kernels
