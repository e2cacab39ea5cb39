#include "kernels/recurrent/lstm_tensors.h"

namespace visq::kernels {
namespace {

bool has(const PrepareContext& context, int slot) { return slot >= 0 && context.has_input(slot); }

std::string role(std::string_view what, std::size_t gate) { return fmt::format("{} of the {}", what, kGateNames[gate]); }

/// Collects the checks of one cell.
class LstmCheck {
 public:
  LstmCheck(const PrepareContext& context, const LstmSlots& slots, LstmSizes sizes, const LstmTypes& types)
      : context_(context), slots_(slots), sizes_(sizes), types_(types) {}

  Result<LstmSizes> run() {
    VISQ_TRY(find_sizes());
    VISQ_TRY(check_presence());
    VISQ_TRY(check_matrices());
    if (sizes_.peephole) VISQ_TRY(check_gates(slots_.peephole, "peephole weights", true, {sizes_.cells}));
    VISQ_TRY(check_gates(slots_.bias, "bias", false, {sizes_.cells}, types_.bias));
    if (sizes_.normalized) VISQ_TRY(check_gates(slots_.norm, "norm", false, {sizes_.cells}, types_.vectors));
    VISQ_TRY(check_projection());
    VISQ_TRY(expect_state(context_, slots_.output_state, "output state", types_.output_state, sizes_.batch, sizes_.outputs));
    VISQ_TRY(expect_state(context_, slots_.cell_state, "cell state", types_.cell_state, sizes_.batch, sizes_.cells));
    return sizes_;
  }

 private:
  Status find_sizes() {
    const int input = slots_.input[kOutputGate], recurrent = slots_.recurrent[kOutputGate];
    for (const int slot : {input, recurrent}) {
      if (!has(context_, slot)) return context_.fail("weights of the output gate (input {}) are absent", slot);
    }
    VISQ_TRY(context_.expect_rank(input, "weights of the output gate", 2));
    const Shape& shape = context_.input(recurrent).shape;
    sizes_.diagonal = shape.rank() == 1;
    if (shape.rank() < 1 || shape.rank() > 2) return context_.fail("recurrent weights of the output gate have rank {}", shape.rank());
    sizes_.cells = context_.input(input).shape[0];
    sizes_.outputs = shape.back();
    if (sizes_.cells < 1 || sizes_.outputs < 1) return context_.fail("has {} cells and {} outputs", sizes_.cells, sizes_.outputs);
    return {};
  }

  Status check_presence() {
    sizes_.coupled = !has(context_, slots_.input[kInputGate]);
    sizes_.peephole = has(context_, slots_.peephole[kOutputGate]);
    sizes_.normalized = has(context_, slots_.norm[kForgetGate]);
    sizes_.projected = has(context_, slots_.projection);
    if (sizes_.coupled) {
      for (const int slot : {slots_.recurrent[kInputGate], slots_.bias[kInputGate], slots_.norm[kInputGate], slots_.aux[kInputGate]}) {
        if (has(context_, slot)) return context_.fail("input {} belongs to an input gate, whose weights are absent", slot);
      }
    }
    for (const std::size_t gate : {kInputGate, kForgetGate, kOutputGate}) {
      const int slot = slots_.peephole[gate];
      if (!sizes_.peephole && has(context_, slot))
        return context_.fail("has peephole weights (input {}), but none of the output gate", slot);
    }
    for (const int slot : slots_.norm) {
      if (!sizes_.normalized && has(context_, slot)) return context_.fail("has a norm (input {}), but none of the forget gate", slot);
    }
    if (!sizes_.projected && has(context_, slots_.projection_bias)) return context_.fail("has a projection bias, but no projection");
    if (!sizes_.projected && sizes_.outputs != sizes_.cells) {
      return context_.fail("has {} cells and {} outputs, but no projection", sizes_.cells, sizes_.outputs);
    }
    return {};
  }

  Status check_matrices() const {
    VISQ_TRY(check_gates(slots_.input, "input weights", true, {sizes_.cells, sizes_.inputs}));
    const Shape recurrent = sizes_.diagonal ? Shape{sizes_.cells} : Shape{sizes_.cells, sizes_.outputs};
    VISQ_TRY(check_gates(slots_.recurrent, "recurrent weights", !sizes_.diagonal, recurrent));
    if (sizes_.aux_inputs == 0) return {};
    return check_gates(slots_.aux, "auxiliary input weights", true, {sizes_.cells, sizes_.aux_inputs});
  }

  /// Shape and type of what each gate has; `weights`: of the weights' type, else `type`.
  Status check_gates(const LstmSlots::Gates& slots, std::string_view what, bool weights, const Shape& shape,
                     DType type = DType::kFloat32) const {
    for (std::size_t gate = sizes_.first_gate(); gate < kLstmGates; ++gate) {
      if (slots[gate] == kNoSlot) continue;
      VISQ_TRY(expect_shape(context_, slots[gate], role(what, gate), shape));
      VISQ_TRY(weights ? check_weight_type(slots[gate], role(what, gate), shape) : check_type(slots[gate], role(what, gate), type));
    }
    return {};
  }

  /// Matrices and peephole weights: of fully integer cells the latter are vectors of their own type.
  Status check_weight_type(int slot, std::string_view what, const Shape& shape) const {
    if (types_.weights != DType::kFloat32) return check_type(slot, what, shape.rank() == 1 ? types_.vectors : types_.weights);
    return context_.expect_type(slot, what, {DType::kFloat32, DType::kInt8});
  }

  Status check_type(int slot, std::string_view what, DType type) const { return context_.expect_type(slot, what, {type}); }

  Status check_projection() const {
    if (!sizes_.projected) return {};
    const Shape shape{sizes_.outputs, sizes_.cells};
    VISQ_TRY(expect_shape(context_, slots_.projection, "projection", shape));
    VISQ_TRY(check_weight_type(slots_.projection, "projection", shape));
    if (!has(context_, slots_.projection_bias)) return {};
    VISQ_TRY(expect_shape(context_, slots_.projection_bias, "projection bias", {sizes_.outputs}));
    return check_type(slots_.projection_bias, "projection bias", types_.bias);
  }

  const PrepareContext& context_;
  const LstmSlots& slots_;
  LstmSizes sizes_;
  const LstmTypes& types_;
};

}  // namespace

Result<LstmSizes> check_lstm(const PrepareContext& context, const LstmSlots& slots, LstmSizes sizes, const LstmTypes& types) {
  return LstmCheck(context, slots, sizes, types).run();
}

Result<float> read_clip(const PrepareContext& context, std::string_view option) {
  const double limit = context.attributes().real(option);
  if (!(limit >= 0)) return context.fail("{} is {}, expected 0 or more", option, limit);
  return static_cast<float>(limit);
}

}  // namespace visq::kernels
