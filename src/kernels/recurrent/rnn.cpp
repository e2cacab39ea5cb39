#include "kernels/recurrent/rnn.h"

#include <algorithm>

#include "core/as_size.h"
#include "kernels/activation.h"
#include "kernels/matrices/weight_matrix.h"
#include "kernels/recurrent/recurrent.h"

namespace visq::kernels {
namespace {

struct RnnSlots {
  int input = 1, recurrent = 2, bias = 3, state = 4;
  int aux = kNoSlot;
};

struct RnnParts {
  Activation activation = Activation::kNone;
  int state = kNoSlot;
  std::unique_ptr<WeightMatrix> input = {}, aux = {}, recurrent = {};  ///< aux may be null
  std::vector<float> bias = {};
};

class RnnCell final : public RecurrentCell {
 public:
  explicit RnnCell(RnnParts parts) : parts_(std::move(parts)), units_(static_cast<std::int64_t>(parts_.bias.size())) {}

  std::int64_t columns() const override { return units_; }
  std::int64_t outputs() const override { return units_; }

  std::size_t scratch_bytes(std::int64_t) const override {
    const std::size_t aux = parts_.aux == nullptr ? 0 : parts_.aux->scratch_bytes();
    return std::max({parts_.input->scratch_bytes(), aux, parts_.recurrent->scratch_bytes()});
  }

  void project(const float* input, const float* aux, std::int64_t count, float* sums, std::byte* scratch) const override {
    for (std::int64_t row = 0; row < count; ++row) std::copy(parts_.bias.begin(), parts_.bias.end(), sums + row * units_);
    parts_.input->accumulate(input, count, sums, scratch);
    if (parts_.aux != nullptr) parts_.aux->accumulate(aux, count, sums, scratch);
  }

  const float* step(const EvalContext& eval, std::int64_t first, std::int64_t width, float* sums, std::byte* scratch) const override {
    float* state = eval.input(parts_.state).mutable_values<float>().data() + first * units_;
    parts_.recurrent->accumulate(state, width, sums, scratch);
    const auto count = as_size(width * units_);
    activate(parts_.activation, {sums, count});
    std::copy_n(sums, count, state);
    return state;
  }

 private:
  RnnParts parts_;
  std::int64_t units_;
};

Result<std::unique_ptr<RecurrentCell>> make_cell(PrepareContext& context, const RnnSlots& slots, const Sequence& sequence,
                                                 std::int64_t aux_features) {
  VISQ_TRY(expect_shape(context, slots.bias, "bias", {context.has_input(slots.bias) ? context.input(slots.bias).elements() : 0}));
  const std::int64_t units = context.input(slots.bias).elements();
  if (units < 1) return context.fail("has no units");
  VISQ_TRY(expect_shape(context, slots.input, "input weights", {units, sequence.features}));
  VISQ_TRY(expect_shape(context, slots.recurrent, "recurrent weights", {units, units}));
  VISQ_TRY(expect_state(context, slots.state, "hidden state", DType::kFloat32, sequence.batch, units));
  VISQ_TRY(context.expect_same_type(slots.recurrent, "recurrent weights", slots.input));
  RnnParts parts{.state = slots.state};
  const bool asymmetric = context.attributes().flag("asymmetric_quantize_inputs");
  VISQ_ASSIGN(parts.activation, fused_activation(context));
  VISQ_ASSIGN(parts.bias, read_values(context, slots.bias, "bias", product_of_scales(context, kInput, slots.input)));
  VISQ_ASSIGN(parts.input, read_weights(context, {&slots.input, 1}, "input weights", asymmetric));
  VISQ_ASSIGN(parts.recurrent, read_weights(context, {&slots.recurrent, 1}, "recurrent weights", asymmetric));
  if (slots.aux != kNoSlot) {
    VISQ_TRY(expect_shape(context, slots.aux, "auxiliary input weights", {units, aux_features}));
    VISQ_ASSIGN(parts.aux, read_weights(context, {&slots.aux, 1}, "auxiliary input weights", asymmetric));
  }
  return std::unique_ptr<RecurrentCell>(std::make_unique<RnnCell>(std::move(parts)));
}

Result<std::unique_ptr<Kernel>> prepare_rnn_layer(PrepareContext& context, int rank, bool time_major) {
  VISQ_TRY(context.expect_inputs(5, 5));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kInput, "input", {DType::kFloat32}));
  std::vector<RecurrentPass> passes(1);
  RecurrentPass& pass = passes[0];
  VISQ_ASSIGN(pass.sequence, read_sequence(context, kInput, rank, time_major));
  VISQ_ASSIGN(pass.cell, make_cell(context, {}, pass.sequence, 0));
  pass.columns = pass.cell->outputs();
  VISQ_TRY(context.set_output(0, DType::kFloat32, output_shape(pass.sequence, rank, pass.columns)));
  return make_recurrent(std::move(passes));
}

// BIDIRECTIONAL_SEQUENCE_RNN
constexpr int kRnnAuxInput = 9;
constexpr int kForwardAux = 10;
constexpr int kBackwardAux = 11;

/// Width of the auxiliary input; 0 where there is none.
Result<std::int64_t> aux_features(const PrepareContext& context, const Sequence& sequence, bool weighted) {
  if (weighted != context.has_input(kBackwardAux)) return context.fail("has auxiliary input weights in one direction only");
  if (!context.has_input(kRnnAuxInput)) {
    if (weighted) return context.fail("has auxiliary input weights, but no auxiliary input (input {})", kRnnAuxInput);
    return std::int64_t{0};
  }
  VISQ_TRY(context.expect_type(kRnnAuxInput, "auxiliary input", {DType::kFloat32}));
  VISQ_ASSIGN(const Sequence aux, read_sequence(context, kRnnAuxInput, 3, sequence.time_major));
  const bool fits = aux.steps == sequence.steps && aux.batch == sequence.batch && (weighted || aux.features == sequence.features);
  if (fits) return aux.features;
  return context.fail("input has the shape {}, the auxiliary input {}", to_string(context.input(kInput).shape),
                      to_string(context.input(kRnnAuxInput).shape));
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_rnn(PrepareContext& context) { return prepare_rnn_layer(context, 2, true); }

Result<std::unique_ptr<Kernel>> prepare_unidirectional_rnn(PrepareContext& context) {
  return prepare_rnn_layer(context, 3, context.attributes().flag("time_major"));
}

Result<std::unique_ptr<Kernel>> prepare_bidirectional_rnn(PrepareContext& context) {
  const bool merged = context.attributes().flag("merge_outputs"), time_major = context.attributes().flag("time_major");
  VISQ_TRY(context.expect_inputs(9, 12));
  VISQ_TRY(context.expect_outputs(merged ? 1 : 2));
  VISQ_TRY(context.expect_type(kInput, "input", {DType::kFloat32}));
  VISQ_ASSIGN(const Sequence sequence, read_sequence(context, kInput, 3, time_major));
  const bool weighted = context.has_input(kForwardAux);
  VISQ_ASSIGN(const std::int64_t features, aux_features(context, sequence, weighted));
  const RnnSlots slots[] = {{.aux = weighted ? kForwardAux : kNoSlot},
                            {.input = 5, .recurrent = 6, .bias = 7, .state = 8, .aux = weighted ? kBackwardAux : kNoSlot}};
  std::vector<RecurrentPass> passes(2);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    VISQ_ASSIGN(passes[i].cell, make_cell(context, slots[i], sequence, features));
    passes[i].sequence = sequence;
    passes[i].aux = weighted ? kRnnAuxInput : kNoSlot;
    passes[i].aux_features = features;
  }
  // Without weights of its own the auxiliary input takes the input's place; LiteRT does so where time comes first only.
  if (!weighted && features > 0 && time_major) passes[1].input = kRnnAuxInput;
  VISQ_TRY(place_two_ways(context, passes, merged));
  return make_recurrent(std::move(passes));
}

}  // namespace visq::kernels
