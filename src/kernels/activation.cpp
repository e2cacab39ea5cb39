#include "kernels/activation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/cpu_clones.h"

namespace visq::kernels {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 6> kActivationNames = {{{"NONE", Activation::kNone},
                                                                                      {"RELU", Activation::kRelu},
                                                                                      {"RELU_N1_TO_1", Activation::kReluN1To1},
                                                                                      {"RELU6", Activation::kRelu6},
                                                                                      {"TANH", Activation::kTanh},
                                                                                      {"SIGN_BIT", Activation::kSignBit}}};

VISQ_CPU_CLONES void clamp_all(backend::Clamp clamp, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = std::min(std::max(values[i], clamp.low), clamp.high);
}

}  // namespace

std::optional<Activation> activation_named(std::string_view name) {
  const auto found = std::find_if(kActivationNames.begin(), kActivationNames.end(), [&](const auto& entry) { return entry.first == name; });
  return found == kActivationNames.end() ? std::nullopt : std::optional(found->second);
}

Result<Activation> fused_activation(const PrepareContext& context) {
  const auto text = context.attributes().text("fused_activation_function", "NONE");
  const auto activation = activation_named(text);
  if (!activation) return context.unsupported("fused activation {}", text);
  return *activation;
}

backend::Clamp clamp_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return kReluClamp;
    case Activation::kReluN1To1:
      return kReluN1To1Clamp;
    case Activation::kRelu6:
      return kRelu6Clamp;
    default:
      return {};
  }
}

bool is_clamp(Activation activation) { return activation != Activation::kTanh && activation != Activation::kSignBit; }

void apply(Activation activation, std::span<float> values) {
  if (activation == Activation::kTanh) {
    for (float& value : values) value = std::tanh(value);
  } else if (activation == Activation::kSignBit) {
    for (float& value : values) value = std::signbit(value) ? 1.0F : 0.0F;
  } else if (activation != Activation::kNone) {
    clamp_all(clamp_of(activation), values.data(), values.size());
  }
}

}  // namespace visq::kernels
