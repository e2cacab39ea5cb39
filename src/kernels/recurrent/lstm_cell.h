// One LSTM cell on floats, with weights in float32 or int8 (quantized on the fly).
//
// For each gate g: s = W x + A aux + R h + p * c + b, or with layer normalization norm * (s - mean) / deviation + b; then
//   c = clip(logistic(s_forget) * c + logistic(s_input) * act(s_cell)), the input gate 1 - forget gate where it is coupled;
//   h = clip(P (logistic(s_output) * act(c)) + b_p), P being optional. The output gate's peephole sees the new c.
#pragma once

#include "kernels/activation.h"
#include "kernels/recurrent/lstm_tensors.h"

namespace visq::kernels {

struct LstmOptions {
  Activation activation = Activation::kTanh;
  float cell_clip = 0, projection_clip = 0;  ///< 0: none
  bool asymmetric = false;                   ///< how rows are quantized for int8 weights
};

/// Reads the options that the three operators share.
Result<LstmOptions> read_lstm_options(const PrepareContext& context);

/// `sizes` as check_lstm() found them.
Result<std::unique_ptr<RecurrentCell>> make_lstm_cell(PrepareContext& context, const LstmSlots& slots, const LstmSizes& sizes,
                                                      const LstmOptions& options);

}  // namespace visq::kernels
