// ONNX operators that have one of TFLite's that takes the same inputs and has no options: Relu, Exp, Where, Tile and their kin.
#include <algorithm>

#include "kernels/activation.h"
#include "kernels/element_types.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_renamed {
namespace {

constexpr DTypes kReals = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DTypes kFloat = {DType::kFloat32};
constexpr DTypes kBools = {DType::kBool};

struct Name {
  std::string_view onnx, tflite;
};
constexpr Name kNames[] = {{"And", "LOGICAL_AND"},  {"Ceil", "CEIL"},       {"Cos", "COS"},
                           {"Exp", "EXP"},          {"Floor", "FLOOR"},     {"HardSwish", "HARD_SWISH"},
                           {"Log", "LOG"},          {"Not", "LOGICAL_NOT"}, {"Or", "LOGICAL_OR"},
                           {"PRelu", "PRELU"},      {"Relu", "RELU"},       {"Round", "ROUND"},
                           {"Sigmoid", "LOGISTIC"}, {"Sin", "SIN"},         {"Sqrt", "SQRT"},
                           {"Tanh", "TANH"},        {"Tile", "TILE"},       {"Where", "SELECT_V2"},
                           {"Xor", "NOT_EQUAL"}};

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  const auto found = std::ranges::find(kNames, context.op().type, &Name::onnx);
  return Translation(context, found->tflite).inputs(context.input_count()).prepare();
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.And", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.Ceil", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Cos", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Exp", .prepare = prepare, .types = kReals, .pointwise = true, .kind = OpKind::kExponential},
    {.name = "ai.onnx.Floor", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.HardSwish", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Log", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Not", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.Or", .prepare = prepare, .types = kBools},
    {.name = "ai.onnx.PRelu", .prepare = prepare, .types = kFloat},
    {.name = "ai.onnx.Relu", .prepare = prepare, .types = kFloat, .pointwise = true, .clamps = kReluClamp},
    {.name = "ai.onnx.Round", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sigmoid", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sin", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Sqrt", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Tanh", .prepare = prepare, .types = kReals, .pointwise = true},
    {.name = "ai.onnx.Tile", .prepare = prepare, .types = kMovable},
    {.name = "ai.onnx.Where", .prepare = prepare, .types = kMovable, .main_input = 1},
    {.name = "ai.onnx.Xor", .prepare = prepare, .types = kBools},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_renamed
