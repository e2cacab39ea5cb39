// Kernels that run one primitive of oneDNN.
#pragma once

#include <memory>
#include <utility>

#include "core/alignment.h"
#include "kernels/backend/onednn.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Each executor has a call of its own.
class PrimitiveKernel : public Kernel {
 public:
  explicit PrimitiveKernel(std::unique_ptr<backend::OneDnnPrimitive> primitive) : primitive_(std::move(primitive)) {}

  std::unique_ptr<KernelState> make_state() const final {
    auto state = std::make_unique<State>();
    state->call = primitive_->make_call();
    return state;
  }

 protected:
  /// Of the scratch memory its first part, up to where the kernel's own begins, aligned as that.
  std::size_t primitive_scratch() const { return align_up(primitive_->scratch_bytes()); }
  Status run(EvalContext& context, const backend::OneDnnOperands& operands) const {
    return primitive_->run(*context.state<State>().call, operands);
  }

 private:
  struct State final : KernelState {
    std::unique_ptr<backend::OneDnnCall> call;
  };
  std::unique_ptr<backend::OneDnnPrimitive> primitive_;
};

}  // namespace visq::kernels
