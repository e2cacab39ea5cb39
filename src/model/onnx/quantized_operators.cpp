#include "model/onnx/quantized_operators.h"

#include <algorithm>

namespace visq::loader::onnx {
namespace {

constexpr RealInput plain(int slot) { return {.kind = RealInput::Kind::kPlain, .data = slot}; }
constexpr RealInput codes(int data, int scale, int zero_point, ScaleAxis axis = ScaleAxis::kFirst) {
  return {RealInput::Kind::kCodes, data, scale, zero_point, axis};
}
constexpr RealInput bias(int slot) { return {.kind = RealInput::Kind::kBias, .data = slot}; }

constexpr RealInput kFirstTriple0 = codes(0, 1, 2);

/// Sources: the ONNX specification; ONNX Runtime's documentation of its contributed operators.
constexpr QuantizedOperator kOperators[] = {
    {"QLinearConv", "Conv", {kFirstTriple0, codes(3, 4, 5), bias(8)}, 6, 7},
    {"QLinearMatMul", "MatMul", {codes(0, 1, 2, ScaleAxis::kRow), codes(3, 4, 5, ScaleAxis::kLast)}, 6, 7},
    {"com.microsoft.QLinearConv", "Conv", {kFirstTriple0, codes(3, 4, 5), bias(8)}, 6, 7},
    {"com.microsoft.QGemm", "Gemm", {kFirstTriple0, codes(3, 4, 5, ScaleAxis::kGemmColumn), bias(6)}, 7, 8},
    {"com.microsoft.QLinearAdd", "Add", {kFirstTriple0, codes(3, 4, 5)}, 6, 7},
    {"com.microsoft.QLinearMul", "Mul", {kFirstTriple0, codes(3, 4, 5)}, 6, 7},
    {"com.microsoft.QLinearSigmoid", "Sigmoid", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearLeakyRelu", "LeakyRelu", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearSoftmax", "Softmax", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearAveragePool", "AveragePool", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearGlobalAveragePool", "GlobalAveragePool", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearReduceMean", "ReduceMean", {kFirstTriple0}, 3, 4},
    {"com.microsoft.QLinearWhere", "Where", {plain(0), codes(1, 2, 3), codes(4, 5, 6)}, 7, 8},
    {"com.microsoft.QLinearConcat", "Concat", {}, 0, 1},
    {"com.microsoft.MatMulIntegerToFloat", "MatMul", {codes(0, 2, 4, ScaleAxis::kRow), codes(1, 3, 5, ScaleAxis::kLast)}, -1, -1, 6},
};

constexpr std::string_view kMoving[] = {"DepthToSpace", "Expand",  "Flatten", "Gather",  "GatherElements", "GatherND",
                                        "Identity",     "MaxPool", "Pad",     "Reshape", "Resize",         "Slice",
                                        "SpaceToDepth", "Split",   "Squeeze", "Tile",    "Transpose",      "Unsqueeze"};

}  // namespace

const QuantizedOperator* quantized_operator(const Operator& op) {
  const auto* const found = std::ranges::find(kOperators, op.type, &QuantizedOperator::type);
  if (found == std::end(kOperators) || op.attributes.integer("channels_last") != 0) return nullptr;
  return found;
}

bool moves_codes(const Operator& op) { return std::ranges::find(kMoving, op.type) != std::end(kMoving); }

}  // namespace visq::loader::onnx
