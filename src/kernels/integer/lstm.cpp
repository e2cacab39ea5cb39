// The LSTM family in integer runs: fully integer, or float activations with int8 weights.
#include "kernels/recurrent/lstm.h"
#include "kernels/recurrent/integer_lstm_cell.h"

namespace visq::kernels::integer_lstm {
namespace {

constexpr int kInput = 0;

bool is_integer_run(const PrepareContext& context) { return context.has_input(kInput) && context.input(kInput).dtype == DType::kInt8; }

Result<std::unique_ptr<Kernel>> prepare_lstm(PrepareContext& context) {
  if (is_basic_lstm(context)) return prepare_basic_lstm(context);
  return is_integer_run(context) ? prepare_integer_lstm(context, 2, true) : prepare_full_lstm(context);
}

Result<std::unique_ptr<Kernel>> prepare_unidirectional(PrepareContext& context) {
  if (!is_integer_run(context)) return prepare_unidirectional_lstm(context);
  return prepare_integer_lstm(context, 3, context.attributes().flag("time_major"));
}

constexpr OpDef kDefinitions[] = {
    {.name = "LSTM", .prepare = prepare_lstm, .types = {DType::kFloat32, DType::kInt8, DType::kUInt8}, .stateful = true},
    {.name = "UNIDIRECTIONAL_SEQUENCE_LSTM", .prepare = prepare_unidirectional, .types = {DType::kFloat32, DType::kInt8}, .stateful = true},
    {.name = "BIDIRECTIONAL_SEQUENCE_LSTM", .prepare = prepare_bidirectional_lstm, .types = {DType::kFloat32}, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_lstm
