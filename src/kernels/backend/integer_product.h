// Exact products of int16 matrices: rows times a packed matrix, summed in int32 or int64. Plain SIMD, dispatched at run time; integers
// add up the same in any order, so all machines give the same sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace visq::kernels::backend {

/// A matrix of `channels` rows of `depth` integers, laid out for multiply().
class PackedMatrix {
 public:
  PackedMatrix() = default;
  /// `values` is [channels, depth], dense.
  PackedMatrix(std::span<const std::int16_t> values, std::int64_t channels, std::int64_t depth);

  std::int64_t channels() const { return channels_; }
  std::int64_t depth() const { return depth_; }
  /// The matrix is low + 256 * high, both in panels of neighbouring channels. Where all its elements are in [-255, 255], high is empty.
  const std::vector<std::int16_t>& low() const { return low_; }
  const std::vector<std::int16_t>& high() const { return high_; }

 private:
  std::int64_t channels_ = 0, depth_ = 0;
  std::vector<std::int16_t> low_, high_;
};

/// Rows of `step` elements each, of which the first `depth` count; one element behind the last row's must be readable.
struct IntegerRows {
  const std::int16_t* values = nullptr;
  std::int64_t step = 0;
  std::int64_t count = 0;
};

/// sums[r * sum_step + c] = sum over k of rows[r, k] * matrix[c, k]; int32 sums wrap around.
void multiply(const IntegerRows& rows, const PackedMatrix& matrix, std::int32_t* sums, std::int64_t sum_step);
void multiply(const IntegerRows& rows, const PackedMatrix& matrix, std::int64_t* sums, std::int64_t sum_step);

}  // namespace visq::kernels::backend
