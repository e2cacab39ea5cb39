// Real values of constant tensors, whatever their stored type.
#pragma once

#include <string_view>
#include <vector>

#include "visq/model.h"

namespace visq::kernels {

/// Real values of a constant, of a sparse one too: float32 as it is, float16 and bfloat16 widened, quantized types as scale * (q -
/// zero_point). A bias is not dequantized by its own scale but by its operator (input scale * weight scale); see runtime. Errors:
/// kUnsupported for types without real values, naming the tensor; `place` heads the message.
Result<std::vector<float>> dequantize_constant(const TensorInfo& tensor, std::string_view place);

/// Real values of a constant with a scale for each block of neighbouring elements in a row (Quantization::block_size); `scales` is the
/// tensor that holds these. Errors: kBadInput where rows are no whole number of blocks; as above.
Result<std::vector<float>> dequantize_blocks(const TensorInfo& tensor, const TensorInfo& scales, std::string_view place);

/// The stored integers of a constant widened to int32 (int4 and int2 unpacked), for exact integer arithmetic.
Result<std::vector<std::int32_t>> stored_integers(const TensorInfo& tensor, std::string_view place);

}  // namespace visq::kernels
