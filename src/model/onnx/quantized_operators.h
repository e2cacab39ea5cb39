// The operators of the QOperator form: what each takes as codes and grids, and the operator on real values that it stands for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "visq/model.h"

namespace visq::loader::onnx {

/// Which axis of an input its scales belong to, where there are many.
enum class ScaleAxis : std::uint8_t { kFirst, kLast, kRow, kGemmColumn };

/// An input of the operator on real values.
struct RealInput {
  enum class Kind : std::uint8_t {
    kNone,
    kPlain,  ///< as it is
    kCodes,  ///< real values of codes, by the scale and zero point in these slots
    kBias,   ///< real values of int32, whose scale is the product of those of the two inputs before it
  };
  Kind kind = Kind::kNone;
  int data = -1, scale = -1, zero_point = -1;  ///< slots
  ScaleAxis axis = ScaleAxis::kFirst;
};

struct QuantizedOperator {
  std::string_view type;  ///< as the file writes it
  std::string_view real;  ///< of the standard
  std::array<RealInput, 3> inputs;
  int scale = -1, zero_point = -1;  ///< slots of the result's grid; none, or left out: the result is real
  int added = -1;                   ///< slot of a real bias that is added in the end
};

/// Null where the operator is none of these, or asks for maps with channels last.
const QuantizedOperator* quantized_operator(const Operator& op);

/// The number of inputs before the triples of QLinearConcat, which has any number of them: codes, scale, zero point.
inline constexpr int kFirstTriple = 2;

/// Whether an operator's result has the codes of its first input and others none, so that it has its grid: MaxPool, Reshape …
bool moves_codes(const Operator& op);

}  // namespace visq::loader::onnx
