// Integer runs of circle models: an operator whose integer arithmetic nobody defines is computed on real values, and its outputs are
// rounded to their grids.
#pragma once

#include <memory>
#include <vector>

#include "kernels/op.h"
#include "runtime/aligned_buffer.h"

namespace visq::runtime {

/// Whether an integer run may compute an operator of this model on real values where no kernel on stored integers takes its tensors: in
/// circle models, whose arithmetic beyond TFLite's nobody defines. In a TFLite model such an operator cannot be run.
bool may_be_on_reals(const Model& model, const Operator& op);

/// Whether an input has a zero point of its own in every channel, which TFLite's kernels take for 0.
bool has_zero_points_by_channel(const std::vector<const kernels::Tensor*>& inputs);

/// Whether a kernel is one that computes on real values between stored integers.
bool is_on_reals(const kernels::Kernel* kernel);

/// What stands for the stored integers of an operator while a kernel on values is prepared.
class RealTensors {
 public:
  /// Errors: kUnsupported naming a tensor that has no real values here (blockwise scales), kBadInput where there is no memory.
  static Result<RealTensors> of(const std::string& place, const std::vector<const kernels::Tensor*>& inputs,
                                const std::vector<kernels::Tensor*>& outputs);

  std::vector<const kernels::Tensor*> inputs() const;
  std::vector<kernels::Tensor*> outputs();
  /// Gives the operator's own outputs the shapes that were found.
  void hand_over(const std::vector<kernels::Tensor*>& outputs) const;
  /// The kernel on stored integers around a kernel on values that was prepared for these.
  std::unique_ptr<kernels::Kernel> around(std::shared_ptr<const kernels::Kernel> kernel) &&;

 private:
  std::vector<std::unique_ptr<kernels::Tensor>> inputs_, outputs_;  ///< null: absent
  std::vector<std::shared_ptr<AlignedBuffer>> constants_;           ///< of the inputs; null: not known before the run
};

}  // namespace visq::runtime
