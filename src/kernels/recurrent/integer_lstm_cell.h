// The LSTM cell of fully integer models: int8 activations and weights, int16 gates and cells.
#pragma once

#include "kernels/op.h"

namespace visq::kernels {

/// LSTM (rank 2) and UNIDIRECTIONAL_SEQUENCE_LSTM (rank 3) with int8 inputs.
Result<std::unique_ptr<Kernel>> prepare_integer_lstm(PrepareContext& context, int rank, bool time_major);

}  // namespace visq::kernels
