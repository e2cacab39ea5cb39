// The LSTM family in float32.
#include "kernels/recurrent/lstm.h"
#include "kernels/multiply_adds.h"

namespace visq::kernels::ops_lstm {
namespace {

Result<std::unique_ptr<Kernel>> prepare_lstm(PrepareContext& context) {
  return is_basic_lstm(context) ? prepare_basic_lstm(context) : prepare_full_lstm(context);
}

constexpr OpDef kDefinitions[] = {
    {.name = "LSTM", .prepare = prepare_lstm, .types = {DType::kFloat32}, .stateful = true, .multiply_adds = recurrent_multiply_adds},
    {.name = "UNIDIRECTIONAL_SEQUENCE_LSTM",
     .prepare = prepare_unidirectional_lstm,
     .types = {DType::kFloat32},
     .stateful = true,
     .multiply_adds = recurrent_multiply_adds},
    {.name = "BIDIRECTIONAL_SEQUENCE_LSTM",
     .prepare = prepare_bidirectional_lstm,
     .types = {DType::kFloat32},
     .stateful = true,
     .multiply_adds = recurrent_multiply_adds},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_lstm
