#include "kernels/recurrent/lstm.h"

#include "kernels/recurrent/lstm_cell.h"

namespace visq::kernels {
namespace {

/// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM.
Result<std::unique_ptr<Kernel>> prepare_lstm_layer(PrepareContext& context, int rank, bool time_major) {
  if (context.input_count() != 20 && context.input_count() != 24) {
    return context.fail("has {} inputs, expected 20 or 24", context.input_count());
  }
  VISQ_TRY(context.expect_inputs(1, 24));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kInput, "input", {DType::kFloat32}));
  VISQ_ASSIGN(const Sequence sequence, read_sequence(context, kInput, rank, time_major));
  VISQ_ASSIGN(const LstmOptions options, read_lstm_options(context));
  VISQ_ASSIGN(const LstmSizes sizes, check_lstm(context, kLstmSlots, {.batch = sequence.batch, .inputs = sequence.features}, kFloatLstm));
  VISQ_TRY(context.set_output(0, DType::kFloat32, output_shape(sequence, rank, sizes.outputs)));
  std::vector<RecurrentPass> passes(1);
  VISQ_ASSIGN(passes[0].cell, make_lstm_cell(context, kLstmSlots, sizes, options));
  passes[0].sequence = sequence;
  passes[0].columns = sizes.outputs;
  return make_recurrent(std::move(passes));
}

// BIDIRECTIONAL_SEQUENCE_LSTM: slots 1 to 17 are the forward cell's, 18 to 34 the backward cell's, then come the states and what the
// two cells of a stack have in common.
constexpr int kAuxInput = 39;
constexpr LstmSlots kForward = {.input = {1, 2, 3, 4},
                                .recurrent = {5, 6, 7, 8},
                                .peephole = {9, 10, kNoSlot, 11},
                                .bias = {12, 13, 14, 15},
                                .projection = 16,
                                .projection_bias = 17,
                                .output_state = 35,
                                .cell_state = 36,
                                .aux = {40, 41, 42, 43}};
constexpr LstmSlots kBackward = {.input = {18, 19, 20, 21},
                                 .recurrent = {22, 23, 24, 25},
                                 .peephole = {26, 27, kNoSlot, 28},
                                 .bias = {29, 30, 31, 32},
                                 .projection = 33,
                                 .projection_bias = 34,
                                 .output_state = 37,
                                 .cell_state = 38,
                                 .aux = {44, 45, 46, 47}};

/// How an auxiliary input is used: with weights of its own by both cells, else in place of the input by the backward cell.
struct AuxInput {
  int slot = kNoSlot;  ///< of what both cells add to their input
  int backward_input = kInput;
  Sequence sequence;
};

Result<AuxInput> read_aux_input(const PrepareContext& context, const Sequence& sequence) {
  AuxInput aux{.sequence = sequence};
  const bool weighted = context.has_input(kForward.aux[kForgetGate]);
  if (!context.has_input(kAuxInput)) {
    if (weighted) return context.fail("has weights of an auxiliary input (input {}), which is absent", kAuxInput);
    return aux;
  }
  VISQ_TRY(context.expect_type(kAuxInput, "auxiliary input", {DType::kFloat32}));
  VISQ_ASSIGN(aux.sequence, read_sequence(context, kAuxInput, 3, sequence.time_major));
  const bool fits = aux.sequence.steps == sequence.steps && aux.sequence.batch == sequence.batch;
  if (!fits || (!weighted && aux.sequence.features != sequence.features)) {
    return context.fail("input has the shape {}, the auxiliary input {}", to_string(context.input(kInput).shape),
                        to_string(context.input(kAuxInput).shape));
  }
  (weighted ? aux.slot : aux.backward_input) = kAuxInput;
  return aux;
}

}  // namespace

bool is_basic_lstm(const PrepareContext& context) { return context.attributes().text("kernel_type", "FULL") == "BASIC"; }

Result<std::unique_ptr<Kernel>> prepare_full_lstm(PrepareContext& context) { return prepare_lstm_layer(context, 2, true); }

Result<std::unique_ptr<Kernel>> prepare_unidirectional_lstm(PrepareContext& context) {
  return prepare_lstm_layer(context, 3, context.attributes().flag("time_major"));
}

Result<std::unique_ptr<Kernel>> prepare_bidirectional_lstm(PrepareContext& context) {
  constexpr int kInputs = 48, kRank = 3;
  if (context.input_count() != kInputs) return context.fail("has {} inputs, expected {}", context.input_count(), kInputs);
  const bool merged = context.attributes().flag("merge_outputs");
  VISQ_TRY(context.expect_inputs(1, kInputs));
  VISQ_TRY(context.expect_outputs(merged ? 1 : 2));
  VISQ_TRY(context.expect_type(kInput, "input", {DType::kFloat32}));
  VISQ_ASSIGN(const Sequence sequence, read_sequence(context, kInput, kRank, context.attributes().flag("time_major", true)));
  VISQ_ASSIGN(const AuxInput aux, read_aux_input(context, sequence));
  VISQ_ASSIGN(const LstmOptions options, read_lstm_options(context));
  const LstmSizes known{
      .batch = sequence.batch, .inputs = sequence.features, .aux_inputs = aux.slot == kNoSlot ? 0 : aux.sequence.features};
  std::vector<RecurrentPass> passes(2);
  std::vector<LstmSizes> sizes;
  for (const LstmSlots* slots : {&kForward, &kBackward}) {
    VISQ_ASSIGN(sizes.emplace_back(), check_lstm(context, *slots, known, kFloatLstm));
    RecurrentPass& pass = passes[sizes.size() - 1];
    VISQ_ASSIGN(pass.cell, make_lstm_cell(context, *slots, sizes.back(), options));
    pass.sequence = sequence;
    pass.aux = aux.slot;
    pass.aux_features = known.aux_inputs;
  }
  passes[1].input = aux.backward_input;
  VISQ_TRY(place_two_ways(context, passes, merged));
  return make_recurrent(std::move(passes));
}

}  // namespace visq::kernels
