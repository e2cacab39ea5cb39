// The RNN family in float32.
#include "kernels/recurrent/rnn.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_rnn {
namespace {

constexpr OpDef kDefinitions[] = {
    {.name = "RNN", .prepare = prepare_rnn, .types = {DType::kFloat32}, .stateful = true, .multiply_adds = recurrent_multiply_adds},
    {.name = "UNIDIRECTIONAL_SEQUENCE_RNN",
     .prepare = prepare_unidirectional_rnn,
     .types = {DType::kFloat32},
     .stateful = true,
     .multiply_adds = recurrent_multiply_adds},
    {.name = "BIDIRECTIONAL_SEQUENCE_RNN",
     .prepare = prepare_bidirectional_rnn,
     .types = {DType::kFloat32},
     .stateful = true,
     .multiply_adds = recurrent_multiply_adds},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_rnn
