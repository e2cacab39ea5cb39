#include "kernels/parameters.h"

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
  if (values.size() != static_cast<std::size_t>(count)) return context.fail("{} has {} values, expected {}", role, values.size(), count);
  return values;
}

Result<RealRange> fused_range(const PrepareContext& context) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  struct Entry {
    std::string_view name;
    RealRange range;
  };
  static constexpr Entry kRanges[] = {
      {"NONE", {-kLargest, kLargest}}, {"RELU", {0, kLargest}}, {"RELU_N1_TO_1", {-1, 1}}, {"RELU6", {0, 6}}};
  const auto activation = context.attributes().text("fused_activation_function", "NONE");
  for (const Entry& entry : kRanges) {
    if (entry.name == activation) return entry.range;
  }
  return context.unsupported("fused activation {}", activation);
}

}  // namespace visq::kernels
