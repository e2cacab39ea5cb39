// The constant matrices of recurrent operators, which rows of floats are multiplied by: in float32, or by int8 weights on rows that are
// quantized on the fly. Each sum is added up in the order of its terms, so results do not depend on the CPU.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

class WeightMatrix {
 public:
  virtual ~WeightMatrix() = default;
  /// sums[r, :] += rows[r, :] * transpose(weights) for `count` rows.
  virtual void accumulate(const float* rows, std::int64_t count, float* sums, std::byte* scratch) const = 0;
  virtual std::size_t scratch_bytes() const { return 0; }
};

/// Codes of a constant int8 matrix, by which rows of integers are multiplied.
class CodeMatrix {
 public:
  CodeMatrix(std::vector<std::int8_t> codes, std::int64_t rows, std::int64_t depth);
  /// sums[r] = sum of codes[r, :] * x; wraps around.
  void multiply(const std::int8_t* x, std::int32_t* sums) const;
  void multiply(const std::int16_t* x, std::int32_t* sums) const;
  std::size_t rows() const { return row_sums_.size(); }
  std::size_t depth() const { return depth_; }
  const std::vector<std::int32_t>& row_sums() const { return row_sums_; }

 private:
  std::vector<std::int8_t> codes_;
  std::size_t depth_;
  std::vector<std::int32_t> row_sums_;
};

/// Reads known inputs of one shape [rows, depth], whose products stand side by side in the sums, and marks them packed.
/// float32: as they are; int8 with one scale: rows of the other operand are quantized, asymmetrically or not.
Result<std::unique_ptr<WeightMatrix>> read_weights(PrepareContext& context, std::span<const int> slots, std::string_view role,
                                                   bool asymmetric);

/// The codes of a known int8 input of rank 2, which is marked packed.
Result<CodeMatrix> read_codes(PrepareContext& context, int slot, std::string_view role);

}  // namespace visq::kernels
