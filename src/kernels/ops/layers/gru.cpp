// GRU (circle): Keras' form with reset_after, over time; the output is the last state.
//   z = logistic(xz + hz), r = logistic(xr + hr), n = tanh(xn + r * hn), h = z * h + (1 - z) * n   with x* = Wx x + bx, h* = Wh h + bh
#include <algorithm>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/activation.h"
#include "kernels/math/float_functions.h"
#include "kernels/matrices/weight_matrix.h"
#include "kernels/multiply_adds.h"
#include "kernels/recurrent/recurrent.h"

namespace visq::kernels::ops_gru {
namespace {

constexpr int kInput = 0;
constexpr int kState = 5;
constexpr std::int64_t kGates = 3;  ///< z, r, n

/// A matrix and its bias stand side by side; which pair the input is multiplied by, and which the state, their shapes tell.
struct GruSlots {
  int input = 1, input_bias = 2, recurrent = 3, recurrent_bias = 4;
};

/// `state` by one step. `x` and `h`: the three sums of the input and of the state.
VISQ_CPU_CLONES void advance(const float* x, const float* h, float* state, std::int64_t units) {
  for (std::int64_t i = 0; i < units; ++i) {
    const float update = logistic_f32(x[i] + h[i]);
    const float reset = logistic_f32(x[units + i] + h[units + i]);
    const float candidate = tanh_f32(x[2 * units + i] + reset * h[2 * units + i]);
    state[i] = update * state[i] + (1.0F - update) * candidate;
  }
}

struct GruParts {
  std::int64_t units = 0;
  std::unique_ptr<WeightMatrix> input = {}, recurrent = {};
  std::vector<float> input_bias = {}, recurrent_bias = {};
};

/// Its state is output 0.
class GruCell final : public RecurrentCell {
 public:
  explicit GruCell(GruParts parts) : parts_(std::move(parts)) {}

  std::int64_t columns() const override { return kGates * parts_.units; }
  std::int64_t outputs() const override { return parts_.units; }

  std::size_t scratch_bytes(std::int64_t width) const override { return aligned_bytes(as_size(width * columns()) * sizeof(float)); }

  void project(const float* input, const float*, std::int64_t count, float* sums, std::byte* scratch) const override {
    for (std::int64_t row = 0; row < count; ++row) std::copy(parts_.input_bias.begin(), parts_.input_bias.end(), sums + row * columns());
    parts_.input->accumulate(input, count, sums, scratch);
  }

  const float* step(const EvalContext& eval, std::int64_t first, std::int64_t width, float* sums, std::byte* scratch) const override {
    float* state = eval.out<float>(0).data() + first * parts_.units;
    auto* recurrent = reinterpret_cast<float*>(scratch);
    for (std::int64_t row = 0; row < width; ++row) {
      std::copy(parts_.recurrent_bias.begin(), parts_.recurrent_bias.end(), recurrent + row * columns());
    }
    parts_.recurrent->accumulate(state, width, recurrent, nullptr);
    for (std::int64_t row = 0; row < width; ++row) {
      advance(sums + row * columns(), recurrent + row * columns(), state + row * parts_.units, parts_.units);
    }
    return state;
  }

 private:
  GruParts parts_;
};

/// Begins with a copy of the state in the output.
class GruKernel final : public Kernel {
 public:
  explicit GruKernel(std::unique_ptr<Kernel> walk) : walk_(std::move(walk)) {}

  Status eval(EvalContext& eval) const override {
    const auto before = eval.in<float>(kState);
    std::copy(before.begin(), before.end(), eval.out<float>(0).begin());
    return walk_->eval(eval);
  }

 private:
  std::unique_ptr<Kernel> walk_;
};

Result<GruSlots> find_slots(const PrepareContext& context, std::int64_t features, std::int64_t units) {
  const GruSlots given, swapped{.input = 3, .input_bias = 4, .recurrent = 1, .recurrent_bias = 2};
  const Shape input_shape{kGates * units, features}, recurrent_shape{kGates * units, units};
  const auto fits = [&](const GruSlots& slots) {
    return context.input(slots.input).shape == input_shape && context.input(slots.recurrent).shape == recurrent_shape;
  };
  for (const GruSlots& slots : {given, swapped}) {
    if (!fits(slots)) continue;
    VISQ_TRY(expect_shape(context, slots.input_bias, "bias", {kGates * units}));
    VISQ_TRY(expect_shape(context, slots.recurrent_bias, "bias", {kGates * units}));
    return slots;
  }
  return context.fail("weights have the shapes {} and {}, expected {} and {}", to_string(context.input(1).shape),
                      to_string(context.input(3).shape), to_string(input_shape), to_string(recurrent_shape));
}

/// Time comes first, whatever the option time_major says, unless only the other order fits the state.
Result<Sequence> find_sequence(const PrepareContext& context, std::int64_t batch) {
  VISQ_ASSIGN(const Sequence time_major, read_sequence(context, kInput, 3, true));
  if (time_major.batch == batch) return time_major;
  VISQ_ASSIGN(const Sequence batch_major, read_sequence(context, kInput, 3, false));
  if (batch_major.batch == batch) return batch_major;
  return context.fail("input has the shape {} and the state {} rows", to_string(context.input(kInput).shape), batch);
}

Result<std::unique_ptr<Kernel>> prepare_gru(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(6, 6));
  VISQ_TRY(context.expect_outputs(1));
  for (const int slot : {kInput, kState}) VISQ_TRY(context.expect_type(slot, slot == kInput ? "input" : "state", {DType::kFloat32}));
  const Shape& state = context.input(kState).shape;
  if (state.rank() < 1 || state.back() < 1) return context.fail("state has the shape {}", to_string(state));
  GruParts parts{.units = state.back()};
  const std::int64_t largest = std::int64_t{1} << 40;
  if (parts.units > largest) return context.fail("has {} units", parts.units);
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  if (activation != Activation::kNone && activation != Activation::kTanh) return context.unsupported("a fused activation beside tanh");
  std::vector<RecurrentPass> passes(1);
  VISQ_ASSIGN(passes[0].sequence, find_sequence(context, state.elements() / parts.units));
  VISQ_ASSIGN(const GruSlots slots, find_slots(context, passes[0].sequence.features, parts.units));
  VISQ_TRY(context.set_output(0, DType::kFloat32, state));
  VISQ_ASSIGN(parts.input, read_weights(context, {&slots.input, 1}, "input weights", false));
  VISQ_ASSIGN(parts.recurrent, read_weights(context, {&slots.recurrent, 1}, "recurrent weights", false));
  VISQ_ASSIGN(parts.input_bias, read_values(context, slots.input_bias, "bias", product_of_scales(context, kInput, slots.input)));
  VISQ_ASSIGN(parts.recurrent_bias,
              read_values(context, slots.recurrent_bias, "bias", product_of_scales(context, kState, slots.recurrent)));
  passes[0].cell = std::make_unique<GruCell>(std::move(parts));
  passes[0].output = -1;
  return std::unique_ptr<Kernel>(std::make_unique<GruKernel>(make_recurrent(std::move(passes))));
}

constexpr OpDef kDefinitions[] = {
    {.name = "GRU", .prepare = prepare_gru, .types = {DType::kFloat32}, .multiply_adds = recurrent_multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_gru
