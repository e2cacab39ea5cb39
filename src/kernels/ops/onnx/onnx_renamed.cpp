// ONNX operators that have one of TFLite's that takes the same inputs and has no options: Add, Relu, Equal, Where and their kin.
#include <algorithm>

#include "kernels/activation.h"
#include "kernels/element_types.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_renamed {
namespace {

constexpr DTypes kReals = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DTypes kFloat = {DType::kFloat32};
constexpr DTypes kNumbers = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64};
constexpr DTypes kCompared = {DType::kFloat32, DType::kInt32, DType::kInt64};
constexpr DTypes kBools = {DType::kBool};

struct Name {
  std::string_view onnx, tflite;
};
constexpr Name kNames[] = {{"Abs", "ABS"},
                           {"Add", "ADD"},
                           {"And", "LOGICAL_AND"},
                           {"Ceil", "CEIL"},
                           {"Cos", "COS"},
                           {"Div", "DIV"},
                           {"Equal", "EQUAL"},
                           {"Exp", "EXP"},
                           {"Floor", "FLOOR"},
                           {"Greater", "GREATER"},
                           {"GreaterOrEqual", "GREATER_EQUAL"},
                           {"HardSwish", "HARD_SWISH"},
                           {"Less", "LESS"},
                           {"LessOrEqual", "LESS_EQUAL"},
                           {"Log", "LOG"},
                           {"Mul", "MUL"},
                           {"Neg", "NEG"},
                           {"Not", "LOGICAL_NOT"},
                           {"Or", "LOGICAL_OR"},
                           {"PRelu", "PRELU"},
                           {"Pow", "POW"},
                           {"Range", "RANGE"},
                           {"Relu", "RELU"},
                           {"Round", "ROUND"},
                           {"Sigmoid", "LOGISTIC"},
                           {"Sign", "SIGN"},
                           {"Sin", "SIN"},
                           {"Sqrt", "SQRT"},
                           {"Sub", "SUB"},
                           {"Tanh", "TANH"},
                           {"Tile", "TILE"},
                           {"Where", "SELECT_V2"}};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  const auto found = std::ranges::find(kNames, context.op().type, &Name::onnx);
  return Translation(context, found->tflite).inputs(context.input_count()).prepare();
}

/// Any number of inputs, which broadcast; with two they are an operator of TFLite's.
template <const char* kTflite>
Result<std::unique_ptr<Kernel>> prepare_of_two(PrepareContext& context) {
  if (context.input_count() != 2) return context.unsupported("has {} inputs, of which it can run two", context.input_count());
  return Translation(context, kTflite).inputs(2).prepare();
}
constexpr char kMaximum[] = "MAXIMUM";
constexpr char kMinimum[] = "MINIMUM";
constexpr char kSum[] = "ADD";

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Abs", .prepare = prepare, .types = kNumbers, .pointwise = true},
    {.name = "ai.onnx.Add", .prepare = prepare, .types = kNumbers, .kind = OpKind::kAdd},
    {.name = "ai.onnx.And", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.Ceil", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Cos", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Div", .prepare = prepare, .types = kNumbers, .kind = OpKind::kDivide},
    {.name = "ai.onnx.Equal", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.Exp", .prepare = prepare, .types = kReals, .pointwise = true, .kind = OpKind::kExponential},
    {.name = "ai.onnx.Floor", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Greater", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.GreaterOrEqual", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.HardSwish", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Less", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.LessOrEqual", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.Log", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Max", .prepare = prepare_of_two<kMaximum>, .types = kNumbers, .kind = OpKind::kMaximum},
    {.name = "ai.onnx.Min", .prepare = prepare_of_two<kMinimum>, .types = kNumbers, .kind = OpKind::kMinimum},
    {.name = "ai.onnx.Mul", .prepare = prepare, .types = kNumbers, .kind = OpKind::kMultiply},
    {.name = "ai.onnx.Neg", .prepare = prepare, .types = kNumbers, .pointwise = true},
    {.name = "ai.onnx.Not", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.Or", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.PRelu", .prepare = prepare, .types = kFloat},
    {.name = "ai.onnx.Pow", .prepare = prepare, .types = kNumbers},
    {.name = "ai.onnx.Range", .prepare = prepare, .types = kCompared},
    {.name = "ai.onnx.Relu", .prepare = prepare, .types = kFloat, .pointwise = true, .clamps = kReluClamp},
    {.name = "ai.onnx.Round", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sigmoid", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sign", .prepare = prepare, .types = {DType::kFloat32, DType::kInt32}, .pointwise = true},
    {.name = "ai.onnx.Sin", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sqrt", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sub", .prepare = prepare, .types = kNumbers, .kind = OpKind::kSubtract},
    {.name = "ai.onnx.Sum", .prepare = prepare_of_two<kSum>, .types = kNumbers, .kind = OpKind::kSum},
    {.name = "ai.onnx.Tanh", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Tile", .prepare = prepare, .types = kMovable},
    {.name = "ai.onnx.Where", .prepare = prepare, .types = kMovable, .main_input = 1},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_renamed
