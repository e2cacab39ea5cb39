#include "analysis/facts/fixed_grid.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace visq::analysis {
namespace {

struct Demand {
  std::string_view op;
  double scale8;       ///< of 8-bit outputs
  std::int64_t zero8;  ///< of int8; uint8: 128 more
  double scale16;      ///< of int16 outputs, zero point 0; 0: the kernel has none
};

constexpr std::array<Demand, 5> kDemands{{{"SOFTMAX", 1.0 / 256, -128, 1.0 / 32768},
                                          {"LOGISTIC", 1.0 / 256, -128, 1.0 / 32768},
                                          {"TANH", 1.0 / 128, 0, 1.0 / 32768},
                                          {"L2_NORMALIZATION", 1.0 / 128, 0, 0},
                                          {"LOG_SOFTMAX", 16.0 / 256, 127, 0}}};

}  // namespace

std::optional<FixedGrid> fixed_grid(const Operator& op, DType type) {
  const auto demand = std::find_if(kDemands.begin(), kDemands.end(), [&](const Demand& each) { return each.op == op.type; });
  if (demand == kDemands.end()) return std::nullopt;
  if (type == DType::kInt16) return demand->scale16 == 0 ? std::nullopt : std::optional<FixedGrid>({demand->scale16, 0});
  if (bits(type) != 8) return std::nullopt;
  return FixedGrid{demand->scale8, demand->zero8 + (type == DType::kUInt8 ? 128 : 0)};
}

}  // namespace visq::analysis
