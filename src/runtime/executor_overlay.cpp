// Runs of a part of a graph: values lent from elsewhere, and the changes of an overlay.
#include <algorithm>

#include "core/as_size.h"
#include "quant/fake_quantize.h"
#include "runtime/callee.h"
#include "runtime/executor.h"

namespace visq::runtime {

using kernels::Tensor;

void Executor::clear(const Overlay* overlay) {
  available_.assign(available_.size(), false);
  for (const int tensor : lent_) take_home(as_size(tensor));
  lent_.clear();
  state_->failures.clear();
  state_->steps = 0;
  overlay_ = overlay;
}

/// A tensor that was lent gets back the memory that it has here.
void Executor::take_home(std::size_t tensor) {
  const PreparedTensor& prepared = graph_->tensors()[tensor];
  Tensor& value = tensors_[tensor];
  value = prepared.value;
  if (holds_strings(value.dtype) && !prepared.ahead) value.strings = &own_strings_[tensor];
  if (plan_->values[tensor] != MemoryPlan::npos) value.data = arena_.data() + plan_->values[tensor];
}

void Executor::lend(int tensor, const Tensor& value) {
  const auto i = as_size(tensor);
  tensors_[i].shape = value.shape;
  tensors_[i].data = value.data;
  tensors_[i].strings = value.strings;
  available_[i] = true;
  lent_.push_back(tensor);
}

const kernels::Kernel* Executor::replacement(std::size_t node) {
  const auto found = overlay_->nodes.find(node);
  if (found == overlay_->nodes.end() || found->second.kernel == nullptr) return nullptr;
  const kernels::Kernel* kernel = found->second.kernel.get();
  const auto [state, fresh] = replacement_states_.try_emplace(kernel);
  if (fresh) state->second = kernel->make_state();
  return kernel;
}

/// Puts the overlay's constants, and copies on its grids, into the place of the node's inputs.
Status Executor::change_inputs(std::size_t node, std::span<const Tensor*> inputs) {
  const auto found = overlay_->nodes.find(node);
  if (found == overlay_->nodes.end()) return {};
  for (const auto& [slot, constant] : found->second.constants) inputs[as_size(slot)] = &constant->tensor;
  std::size_t used = 0;
  for (const auto& [slot, grid] : found->second.rounded_inputs) {
    const Tensor*& input = inputs[as_size(slot)];
    if (input == nullptr || input->dtype != DType::kFloat32) continue;
    if (used == rounded_inputs_.size()) rounded_inputs_.push_back(std::make_unique<OwnedTensor>());
    OwnedTensor& copy = *rounded_inputs_[used++];
    VISQ_TRY(copy.assign(*input, graph_->model().path));
    quant::fake_quantize(reinterpret_cast<float*>(copy.tensor.data), *grid, copy.tensor.shape, nullptr);
    input = &copy.tensor;
  }
  return {};
}

void Executor::round_as_overlay_says(std::size_t tensor) {
  const auto found = overlay_->rounded.find(static_cast<int>(tensor));
  Tensor& value = tensors_[tensor];
  if (found == overlay_->rounded.end() || value.dtype != DType::kFloat32) return;
  saturated_[tensor] = quant::fake_quantize(reinterpret_cast<float*>(value.data), *found->second, value.shape, nullptr);
}

}  // namespace visq::runtime
