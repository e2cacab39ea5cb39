// What analyses ask about an operator beyond its results. The answers stand in its definition (OpDef), beside its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/slots.h"
#include "visq/dtype.h"
#include "visq/model.h"

namespace visq::kernels {

/// What an operator does, where analyses look for such operators whatever the format of models calls them.
enum class OpKind : std::uint8_t {
  kOther,  ///< no analysis asks for it
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,
  kMinimum,
  kSum,  ///< of any number of inputs
  kSquare,
  kExponential,
  kReciprocalRoot,
  kSoftmax,
  kLogSoftmax,
  kConcatenate,
  kGather,  ///< rows of a table
  kQuantize,
  kDequantize,
  kTranspose,
  kPad,
  kAveragePool,
  kBatchNormalization,
};

/// Sums and products of two, which batch normalizations are made of where they were not folded.
constexpr bool is_arithmetic(OpKind kind) {
  return kind == OpKind::kAdd || kind == OpKind::kSubtract || kind == OpKind::kMultiply || kind == OpKind::kDivide;
}

/// Of an operator that multiplies data with weights and adds a bias: where these stand among its inputs.
struct WeightSlots {
  std::size_t data = 0, weight = 1, bias = 2;
  int rank = 4;          ///< of the weights
  int channel_axis = 0;  ///< of the weights: the axis that counts output channels
};

/// The only output grid that the kernels of an operator write, whatever the data; none where scale8 is 0. Source: TFLite's quantization
/// specification.
struct FixedGrid {
  double scale8 = 0;       ///< of 8-bit outputs
  std::int64_t zero8 = 0;  ///< of int8; uint8: 128 more
  double scale16 = 0;      ///< of int16 outputs, whose zero point is 0; 0: the kernel has none

  struct Grid {
    double scale = 0;
    std::int64_t zero_point = 0;
  };
  /// Nothing for types that the kernel does not write.
  std::optional<Grid> of(DType type) const {
    if (type == DType::kInt16) return scale16 == 0 ? std::nullopt : std::optional<Grid>({scale16, 0});
    if (scale8 == 0 || bits(type) != 8) return std::nullopt;
    return Grid{scale8, zero8 + (type == DType::kUInt8 ? 128 : 0)};
  }
};

/// Multiply-adds (one product and one sum) by static shapes; nothing where they do not tell. A bias is not counted, padding counts as data,
/// a dynamic axis as its stored size.
using MultiplyAdds = std::optional<std::int64_t> (*)(const Subgraph& graph, const Operator& op);

}  // namespace visq::kernels
