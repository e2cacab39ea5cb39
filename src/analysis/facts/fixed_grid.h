// Operators whose kernels write one output grid only, whatever the data.
#pragma once

#include <optional>

#include "visq/model.h"

namespace visq::analysis {

/// The grid that kernels of this operator demand of an output of this type; nothing where it is the model's choice.
/// Source: TFLite's quantization specification.
struct FixedGrid {
  double scale = 0;
  std::int64_t zero_point = 0;
};
std::optional<FixedGrid> fixed_grid(const Operator& op, DType type);

}  // namespace visq::analysis
