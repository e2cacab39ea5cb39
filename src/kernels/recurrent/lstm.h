// LSTM (full kernel), UNIDIRECTIONAL_SEQUENCE_LSTM and BIDIRECTIONAL_SEQUENCE_LSTM on float activations: both operator tables run them,
// since only the type of the weights differs.
#pragma once

#include "kernels/op.h"

namespace visq::kernels {

Result<std::unique_ptr<Kernel>> prepare_full_lstm(PrepareContext& context);
Result<std::unique_ptr<Kernel>> prepare_unidirectional_lstm(PrepareContext& context);
Result<std::unique_ptr<Kernel>> prepare_bidirectional_lstm(PrepareContext& context);

/// The kernel of five inputs (option kernel_type BASIC): one matrix for all gates, the state handed in and out.
///   [x, h] W + b = (i, n, f, o); c' = logistic(i) * tanh(n) + logistic(f) * c; h' = logistic(o) * tanh(c')
/// float32, or uint8 with an int16 state of 4 integer bits.
Result<std::unique_ptr<Kernel>> prepare_basic_lstm(PrepareContext& context);

/// True where the option says BASIC.
bool is_basic_lstm(const PrepareContext& context);

}  // namespace visq::kernels
