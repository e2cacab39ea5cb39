// Where the operators of the LSTM family keep their tensors, and what their shapes say.
#pragma once

#include <array>
#include <string_view>

#include "kernels/recurrent/recurrent.h"

namespace visq::kernels {

/// The gates, in the order in which the formats list their tensors.
enum LstmGate : std::size_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
inline constexpr std::size_t kLstmGates = 4;
inline constexpr std::array<std::string_view, kLstmGates> kGateNames = {"input gate", "forget gate", "cell gate", "output gate"};

/// Input slots of one cell; kNoSlot where the operator knows no such input.
struct LstmSlots {
  using Gates = std::array<int, kLstmGates>;
  Gates input, recurrent, peephole, bias;
  int projection = kNoSlot, projection_bias = kNoSlot;
  int output_state = kNoSlot, cell_state = kNoSlot;
  Gates norm = {kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  Gates aux = {kNoSlot, kNoSlot, kNoSlot, kNoSlot};
};

/// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM; the forward cell of BIDIRECTIONAL_SEQUENCE_LSTM begins alike.
inline constexpr LstmSlots kLstmSlots = {.input = {1, 2, 3, 4},
                                         .recurrent = {5, 6, 7, 8},
                                         .peephole = {9, 10, kNoSlot, 11},
                                         .bias = {12, 13, 14, 15},
                                         .projection = 16,
                                         .projection_bias = 17,
                                         .output_state = 18,
                                         .cell_state = 19,
                                         .norm = {20, 21, 22, 23}};

/// Element types of a cell's tensors. Weights may also be int8 where `weights` is float32 (quantized on the fly).
struct LstmTypes {
  DType weights = DType::kFloat32, vectors = DType::kFloat32, bias = DType::kFloat32;
  DType output_state = DType::kFloat32, cell_state = DType::kFloat32;
};
inline constexpr LstmTypes kFloatLstm = {};
/// int8 activations and weights, int16 cells, peephole weights and norms.
inline constexpr LstmTypes kIntegerLstm = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt8, DType::kInt16};

struct LstmSizes {
  std::int64_t batch = 0, inputs = 0;
  std::int64_t aux_inputs = 0;  ///< 0: no auxiliary input
  std::int64_t cells = 0, outputs = 0;
  bool coupled = false;  ///< no input gate: it is 1 - forget gate
  bool peephole = false, normalized = false, projected = false;
  bool diagonal = false;  ///< recurrent weights are vectors

  std::size_t first_gate() const { return coupled ? kForgetGate : kInputGate; }
  std::size_t gates() const { return kLstmGates - first_gate(); }
};

/// Fails unless all tensors of the cell are there or absent together, and have the shapes and types that follow from each other.
/// `sizes` holds batch, inputs and aux_inputs; the rest is found here.
Result<LstmSizes> check_lstm(const PrepareContext& context, const LstmSlots& slots, LstmSizes sizes, const LstmTypes& types);

/// An option that limits values to [-limit, limit]; 0: no limit. Fails below 0.
Result<float> read_clip(const PrepareContext& context, std::string_view option);

}  // namespace visq::kernels
