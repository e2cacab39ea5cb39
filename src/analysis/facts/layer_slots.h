// Where operators with weights keep them: the slots of data, weight and bias among their inputs.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/slots.h"

namespace visq::analysis {

struct LayerSlots {
  std::string_view type;
  std::size_t data, weight, bias;
};

/// The slots of an operator that multiplies its input with weights and adds a bias; nothing for other operators.
inline std::optional<LayerSlots> layer_slots(const Operator& op) {
  static constexpr std::array<LayerSlots, 6> kLayers{{{"CONV_2D", 0, 1, 2},
                                                      {"DEPTHWISE_CONV_2D", 0, 1, 2},
                                                      {"FULLY_CONNECTED", 0, 1, 2},
                                                      {"CONV_3D", 0, 1, 2},
                                                      {"TRANSPOSE_CONV", 2, 1, 3},
                                                      {"CONV_3D_TRANSPOSE", 2, 1, 3}}};
  const auto found = std::find_if(kLayers.begin(), kLayers.end(), [&](const LayerSlots& layer) { return layer.type == op.type; });
  return found == kLayers.end() ? std::nullopt : std::optional(*found);
}

}  // namespace visq::analysis
