// The RNN family in float32.
#include "kernels/recurrent/rnn.h"

namespace visq::kernels::ops_rnn {
namespace {

constexpr OpDef kDefinitions[] = {
    {.name = "RNN", .prepare = prepare_rnn, .types = {DType::kFloat32}, .stateful = true},
    {.name = "UNIDIRECTIONAL_SEQUENCE_RNN", .prepare = prepare_unidirectional_rnn, .types = {DType::kFloat32}, .stateful = true},
    {.name = "BIDIRECTIONAL_SEQUENCE_RNN", .prepare = prepare_bidirectional_rnn, .types = {DType::kFloat32}, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_rnn
