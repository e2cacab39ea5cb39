// The activations that ONNX's recurrent operators name, with their parameters.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// A function of one number, as an entry of the attribute `activations` states it.
class GateActivation {
 public:
  GateActivation() = default;
  using Function = float (*)(float x, float alpha, float beta);
  GateActivation(Function function, float alpha, float beta) : function_(function), alpha_(alpha), beta_(beta) {}
  float operator()(float x) const { return function_(x, alpha_, beta_); }

 private:
  Function function_ = nullptr;
  float alpha_ = 0, beta_ = 0;
};

/// Those of all directions, `count` of them: as the attributes activations, activation_alpha and activation_beta say, or `otherwise` again
/// and again. Errors: another number of them, unknown names.
Result<std::vector<GateActivation>> gate_activations(const PrepareContext& context, std::size_t count,
                                                     std::initializer_list<std::string_view> otherwise);

}  // namespace visq::kernels
