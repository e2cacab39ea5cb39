#include "kernels/common_type.h"

#include <algorithm>
#include <span>

namespace visq::kernels {
namespace {

struct Kind {
  std::string_view type, kind;
};
/// By type, in the order of text.
constexpr Kind kOfOnnx[] = {
    {"Abs", "ABS"},
    {"Add", "ADD"},
    {"And", "LOGICAL_AND"},
    {"ArgMax", "ARG_MAX"},
    {"ArgMin", "ARG_MIN"},
    {"AveragePool", "MEAN"},
    {"Cast", "CAST"},
    {"Ceil", "CEIL"},
    {"Clip", "CLAMP"},
    {"Concat", "CONCATENATION"},
    {"Conv", "CONV"},
    {"ConvInteger", "CONV"},
    {"ConvTranspose", "TRANSPOSE_CONV"},
    {"Cos", "COS"},
    {"CumSum", "CUMSUM"},
    {"DepthToSpace", "DEPTH_TO_SPACE"},
    {"Div", "DIV"},
    {"Elu", "ELU"},
    {"Equal", "EQUAL"},
    {"Exp", "EXP"},
    {"Expand", "BROADCAST_TO"},
    {"Flatten", "RESHAPE"},
    {"Floor", "FLOOR"},
    {"Gather", "GATHER"},
    {"GatherND", "GATHER_ND"},
    {"Gelu", "GELU"},
    {"Gemm", "PRODUCT"},
    {"GlobalAveragePool", "MEAN"},
    {"GlobalMaxPool", "REDUCE_MAX"},
    {"Greater", "GREATER"},
    {"GreaterOrEqual", "GREATER_EQUAL"},
    {"HardSwish", "HARD_SWISH"},
    {"Identity", "RESHAPE"},
    {"LeakyRelu", "LEAKY_RELU"},
    {"Less", "LESS"},
    {"LessOrEqual", "LESS_EQUAL"},
    {"Log", "LOG"},
    {"LogSoftmax", "LOG_SOFTMAX"},
    {"MatMul", "PRODUCT"},
    {"MatMulInteger", "PRODUCT"},
    {"Max", "MAXIMUM"},
    {"MaxPool", "MAX_POOL_2D"},
    {"Min", "MINIMUM"},
    {"Mul", "MUL"},
    {"Neg", "NEG"},
    {"Not", "LOGICAL_NOT"},
    {"OneHot", "ONE_HOT"},
    {"Or", "LOGICAL_OR"},
    {"PRelu", "PRELU"},
    {"Pad", "PAD"},
    {"Pow", "POW"},
    {"QGemm", "PRODUCT"},
    {"QLinearAdd", "ADD"},
    {"QLinearConv", "CONV"},
    {"QLinearMatMul", "PRODUCT"},
    {"QLinearMul", "MUL"},
    {"ReduceMax", "REDUCE_MAX"},
    {"ReduceMean", "MEAN"},
    {"ReduceMin", "REDUCE_MIN"},
    {"ReduceProd", "REDUCE_PROD"},
    {"ReduceSum", "SUM"},
    {"Relu", "CLAMP"},
    {"Reshape", "RESHAPE"},
    {"Resize", "RESIZE"},
    {"Round", "ROUND"},
    {"ScatterND", "SCATTER_ND"},
    {"Sigmoid", "LOGISTIC"},
    {"Sign", "SIGN"},
    {"Sin", "SIN"},
    {"Slice", "SLICE"},
    {"Softmax", "SOFTMAX"},
    {"SpaceToDepth", "SPACE_TO_DEPTH"},
    {"Split", "SPLIT"},
    {"Sqrt", "SQRT"},
    {"Squeeze", "RESHAPE"},
    {"Sub", "SUB"},
    {"Sum", "ADD"},
    {"Tanh", "TANH"},
    {"Tile", "TILE"},
    {"TopK", "TOPK_V2"},
    {"Transpose", "TRANSPOSE"},
    {"Unsqueeze", "RESHAPE"},
    {"Upsample", "RESIZE"},
    {"Where", "SELECT"},
};
/// Types of circle and TFLite that are one of ONNX's, or one work under several names.
constexpr Kind kOfTflite[] = {
    {"AVERAGE_POOL_2D", "MEAN"},
    {"BATCH_MATMUL", "PRODUCT"},
    {"CONV_2D", "CONV"},
    {"CONV_3D", "CONV"},
    {"CONV_3D_TRANSPOSE", "TRANSPOSE_CONV"},
    {"DEPTHWISE_CONV_2D", "CONV"},
    {"EXPAND_DIMS", "RESHAPE"},
    {"FULLY_CONNECTED", "PRODUCT"},
    {"PADV2", "PAD"},
    {"RELU", "CLAMP"},
    {"RELU6", "CLAMP"},
    {"RELU_0_TO_1", "CLAMP"},
    {"RELU_N1_TO_1", "CLAMP"},
    {"RESIZE_BILINEAR", "RESIZE"},
    {"RESIZE_NEAREST_NEIGHBOR", "RESIZE"},
    {"SELECT_V2", "SELECT"},
    {"SPLIT_V", "SPLIT"},
    {"SQUEEZE", "RESHAPE"},
    {"STRIDED_SLICE", "SLICE"},
};
static_assert(std::ranges::is_sorted(kOfOnnx, {}, &Kind::type) && std::ranges::is_sorted(kOfTflite, {}, &Kind::type));

std::string_view look_up(std::span<const Kind> kinds, std::string_view type) {
  const auto found = std::ranges::lower_bound(kinds, type, {}, &Kind::type);
  return found != kinds.end() && found->type == type ? found->kind : std::string_view();
}

}  // namespace

std::string_view common_type(const Operator& op) {
  const std::string_view kind =
      op.domain.empty() ? look_up(kOfTflite, op.type) : look_up(kOfOnnx, std::string_view(op.type).substr(op.type.rfind('.') + 1));
  return kind.empty() ? std::string_view(op.type) : kind;
}

}  // namespace visq::kernels
