// Indices of ONNX's gathering and scattering operators, which stand in tensors and count from the end where they are negative.
#pragma once

#include <string>

#include "kernels/indexing/index_values.h"
#include "kernels/indexing/indexing.h"

namespace visq::kernels {

/// int32 or int64.
Status expect_indices(const PrepareContext& context, int slot);

/// Element `i` of the indices as one in [0, size).
Result<std::int64_t> checked_index(const Tensor& indices, std::int64_t i, std::int64_t size, const std::string& place);

/// Indices along the axis that the attribute names, one per element: GatherElements, ScatterElements.
class ElementPlaces {
 public:
  /// `target`: what they point into. Errors: indices that are larger than it on another axis.
  static Result<ElementPlaces> plan(const PrepareContext& context, const Shape& target, int slot);

  /// Calls body(which index, element of the target) for all of them.
  template <class Body>
  Status for_each(const Tensor& indices, Body&& body) const {
    Status status;
    const auto [place_step, along_step] = loops_.run_steps();
    const std::int64_t length = loops_.run_length();
    std::int64_t at = 0;
    loops_.for_each_run([&](const auto& offsets) {
      for (std::int64_t i = 0; i < length && status.ok(); ++i, ++at) {
        const auto index = checked_index(indices, at, size_, place_);
        if (!index.ok()) {
          status = index.error();
        } else {
          body(at, offsets[0] + i * place_step + *index * stride_);
        }
      }
    });
    return status;
  }

 private:
  Loops<2> loops_;  ///< over the indices: their place in the target but for the axis; nothing
  std::int64_t size_ = 0, stride_ = 1;
  std::string place_;
};

/// Tuples of indices (the last axis of the index tensor) into leading axes of a target, behind `batch_axes` that both share: GatherND,
/// ScatterND.
class IndexTuples {
 public:
  static Result<IndexTuples> plan(const PrepareContext& context, const Shape& target, int slot, std::int64_t batch_axes);

  std::int64_t count() const { return count_; }
  /// Elements of what a tuple addresses.
  std::int64_t slice() const { return slice_; }
  /// The shape of all that the tuples address.
  const Shape& addressed() const { return addressed_; }
  /// First element of what tuple `number` addresses.
  Result<std::int64_t> start(const Tensor& indices, std::int64_t number) const;

 private:
  Shape addressed_;
  std::vector<std::int64_t> sizes_, strides_;  ///< of the axes that a tuple indexes
  std::int64_t count_ = 0, per_batch_ = 1, batch_stride_ = 0, slice_ = 1;
  std::string place_;
};

}  // namespace visq::kernels
