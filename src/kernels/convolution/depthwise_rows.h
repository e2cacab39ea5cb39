// DEPTHWISE_CONV_2D on byte codes, row by row: rows of the input are interleaved, so that a lane of a vector holds codes of one column that
// lie below each other, and one instruction multiplies and adds them up. What instruction sets differ in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/backend/onednn.h"

namespace visq::kernels::depthwise {

/// How the loops see the convolution. Where the lanes are a multiple of the channels and the stride is 1, neighbouring pixels fill a
/// vector.
struct Steps {
  std::int64_t channels;    ///< lanes of one unit of output; all of a vector where pixels share it
  std::int64_t units;       ///< of one output row; the last one may be cut short
  std::int64_t row;         ///< elements of one output row
  std::int64_t unit_in;     ///< elements from one unit's input to the next one's
  std::int64_t tap;         ///< elements from one tap of a row to the next
  std::int64_t groups;      ///< of filter rows that are interleaved
  std::int64_t columns;     ///< of the filter
  std::int64_t group_size;  ///< elements of one group's interleaved row, slack included
};

/// Constants of the epilogue and weights, by lane of a unit, filled up to whole vectors.
struct Packed {
  std::int64_t lanes = 0;
  std::vector<std::int32_t> start;  ///< - zero point * sum of the lane's weights
  std::vector<float> bias, scales;
  std::vector<std::int64_t> offsets;  ///< per tap: of its interleaved column
  std::vector<std::int32_t> weights;  ///< [tap, lane]; each the weights of a column's rows, the first one lowest
};

/// target[i] = the bytes i of the rows, xor `flip`, interleaved. Reads no further than `count`, writes up to the next multiple of
/// Instructions::bytes.
using Interleave = void(const std::byte* const* rows, std::int64_t count, std::uint8_t flip, std::int32_t* target);
/// One row of output from interleaved ones.
using MultiplyRow = void(const Steps& steps, const Packed& packed, backend::Clamp clamp, const std::int32_t* source, float* target);

struct Instructions {
  std::int64_t lanes = 0;  ///< int32 of a vector
  std::int64_t rows = 0;   ///< codes in a lane, 4 or 2; a weight has 8 or 16 bits
  std::int64_t bytes = 0;  ///< of a row that are interleaved at once
  Interleave* interleave = nullptr;
  MultiplyRow* (*multiply_row)(std::size_t taps) = nullptr;  ///< what is best for so many of them
};

/// Null where the program was not compiled for such a CPU; whether this one can do it must have been asked.
const Instructions* vnni();
const Instructions* avx2();

}  // namespace visq::kernels::depthwise
