// What STABLEHLO_GATHER and STABLEHLO_SCATTER share: vectors of indices that stand in one tensor and point into another.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// The axes that an option lists, as a mask over `rank` axes. Errors: axes out of range or named twice.
Result<std::vector<bool>> listed_axes(const PrepareContext& context, std::string_view option, int rank);

/// Vectors along axis `index_vector_dim` of an index tensor (or single numbers where that is its rank), whose components stand for
/// the axes of a target that an option lists.
class IndexVectors {
 public:
  static Result<IndexVectors> plan(const PrepareContext& context, int slot, std::string_view option, int target_rank);

  /// The index tensor's axes without that of the vectors.
  const Shape& batch() const { return batch_; }
  /// Reads vector `position` (row-major in batch()). start: one per axis of the target, 0 where no component stands for it, never so
  /// far out that adding sizes could overflow.
  void read(const Tensor& indices, std::int64_t position, std::vector<std::int64_t>& start) const;

 private:
  Shape batch_;
  std::int64_t inner_ = 1;  ///< elements from one component of a vector to the next
  std::vector<int> axes_;   ///< of the target, per component
};

}  // namespace visq::kernels
