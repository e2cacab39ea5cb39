#include "kernels/onnx/gate_activation.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace visq::kernels {
namespace {

struct NamedActivation {
  std::string_view name;
  GateActivation::Function function;
  bool takes_alpha = false, takes_beta = false;
  float alpha = 0, beta = 0;  ///< where the attributes give none
};

/// Source: the ONNX specification of RNN.
constexpr NamedActivation kActivations[] = {
    {"relu", [](float x, float, float) { return x > 0 ? x : 0.0F; }},
    {"tanh", [](float x, float, float) { return std::tanh(x); }},
    {"sigmoid", [](float x, float, float) { return 1.0F / (1.0F + std::exp(-x)); }},
    {"softsign", [](float x, float, float) { return x / (1.0F + std::fabs(x)); }},
    {"softplus", [](float x, float, float) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
    {"affine", [](float x, float a, float b) { return a * x + b; }, true, true, 1, 0},
    {"scaledtanh", [](float x, float a, float b) { return a * std::tanh(b * x); }, true, true, 1, 1},
    {"hardsigmoid", [](float x, float a, float b) { return std::clamp(a * x + b, 0.0F, 1.0F); }, true, true, 0.2F, 0.5F},
    {"leakyrelu", [](float x, float a, float) { return x < 0 ? a * x : x; }, true, false, 0.01F, 0},
    {"thresholdedrelu", [](float x, float a, float) { return x > a ? x : 0.0F; }, true, false, 1, 0},
    {"elu", [](float x, float a, float) { return x < 0 ? a * std::expm1(x) : x; }, true, false, 1, 0},
};

/// The reader keeps lists of names as one text with commas.
std::vector<std::string> names_of(const PrepareContext& context) {
  std::vector<std::string> names;
  const auto text = context.attributes().text("activations");
  if (text.empty()) return names;
  names.emplace_back();
  for (const char letter : text) {
    if (letter == ',') {
      names.emplace_back();
    } else {
      names.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return names;
}

/// The next of a list of parameters; lists may be shorter.
float next_of(const PrepareContext& context, std::string_view list, std::size_t& place, float otherwise) {
  const Attribute* const found = context.attributes().find(list);
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(found);
  return values != nullptr && place < values->size() ? static_cast<float>((*values)[place++]) : otherwise;
}

}  // namespace

Result<std::vector<GateActivation>> gate_activations(const PrepareContext& context, std::size_t count,
                                                     std::initializer_list<std::string_view> otherwise) {
  std::vector<std::string> names = names_of(context);
  for (std::size_t i = 0; names.size() < count && i < count && context.attributes().text("activations").empty(); ++i) {
    names.emplace_back(otherwise.begin()[i % otherwise.size()]);
  }
  if (names.size() != count) return context.fail("has {} activations, expected {}", names.size(), count);
  std::vector<GateActivation> all;
  std::size_t alpha = 0, beta = 0;
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kActivations, name, &NamedActivation::name);
    if (found == std::end(kActivations)) return context.unsupported("the activation '{}'", name);
    all.emplace_back(found->function, found->takes_alpha ? next_of(context, "activation_alpha", alpha, found->alpha) : 0.0F,
                     found->takes_beta ? next_of(context, "activation_beta", beta, found->beta) : 0.0F);
  }
  return all;
}

}  // namespace visq::kernels
