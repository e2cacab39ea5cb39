// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN on float activations: h = act(W x + A aux + R h + b). Both operator
// tables run them, since only the type of the weights differs.
#pragma once

#include "kernels/op.h"

namespace visq::kernels {

Result<std::unique_ptr<Kernel>> prepare_rnn(PrepareContext& context);
Result<std::unique_ptr<Kernel>> prepare_unidirectional_rnn(PrepareContext& context);
Result<std::unique_ptr<Kernel>> prepare_bidirectional_rnn(PrepareContext& context);

}  // namespace visq::kernels
