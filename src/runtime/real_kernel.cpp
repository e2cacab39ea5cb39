#include "runtime/real_kernel.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "quant/fake_quantize.h"

namespace visq::runtime {

using kernels::Tensor;

namespace {

float* reals(const AlignedBuffer& memory) { return reinterpret_cast<float*>(memory.data()); }

Result<std::shared_ptr<AlignedBuffer>> real_copy(const Tensor& stored, const std::string& place) {
  auto memory = std::make_shared<AlignedBuffer>(as_size(stored.elements()) * sizeof(float));
  if (memory->data() == nullptr) return bad_input("{}: no memory for the real values of '{}'", place, stored.info->name);
  quant::dequantize(stored.data, *stored.info, stored.shape, reals(*memory));
  return memory;
}

class KernelOnReals final : public kernels::Kernel {
 public:
  KernelOnReals(std::shared_ptr<const kernels::Kernel> kernel, std::vector<std::shared_ptr<AlignedBuffer>> constants)
      : kernel_(std::move(kernel)), constants_(std::move(constants)) {}

  std::unique_ptr<kernels::KernelState> make_state() const override {
    auto state = std::make_unique<State>();
    state->inner = kernel_->make_state();
    return state;
  }

  Status eval(kernels::EvalContext& context) const override {
    State& state = context.state<State>();
    state.memory.clear();
    std::vector<Tensor> tensors;
    tensors.reserve(as_size(context.input_count() + context.output_count()));
    std::vector<const Tensor*> inputs;
    std::vector<Tensor*> outputs;
    for (int i = 0; i < context.input_count(); ++i) {
      inputs.push_back(nullptr);
      if (!context.has_input(i)) continue;
      Tensor& tensor = tensors.emplace_back(context.input(i));
      inputs.back() = &tensor;
      const auto slot = as_size(i);
      const bool packed = tensor.data == nullptr && constants_[slot] == nullptr;  // the kernel has what it needs of it
      if (!tensor.quantized() || packed) continue;
      VISQ_ASSIGN(auto memory, constants_[slot] != nullptr ? Result(constants_[slot]) : real_copy(tensor, "integer run"));
      tensor.dtype = DType::kFloat32, tensor.data = memory->data();
      state.memory.push_back(std::move(memory));
    }
    for (int k = 0; k < context.output_count(); ++k) {
      Tensor& tensor = tensors.emplace_back(context.output(k));
      outputs.push_back(&tensor);
      if (!tensor.quantized()) continue;
      auto memory = std::make_shared<AlignedBuffer>(as_size(tensor.elements()) * sizeof(float));
      if (memory->data() == nullptr) return bad_input("integer run: no memory for the real values of '{}'", tensor.info->name);
      tensor.dtype = DType::kFloat32, tensor.data = memory->data();
      state.memory.push_back(std::move(memory));
    }
    kernels::EvalContext inner(inputs, outputs, state.inner.get(), state.scratch);
    VISQ_TRY(kernel_->eval(inner));
    for (int k = 0; k < context.output_count(); ++k) {
      Tensor& stored = context.output(k);
      const Tensor& real = *outputs[as_size(k)];
      if (stored.quantized()) quant::quantize(reinterpret_cast<const float*>(real.data), *stored.info, stored.shape, stored.data);
    }
    return {};
  }

 private:
  struct State final : kernels::KernelState {
    std::unique_ptr<kernels::KernelState> inner;
    std::vector<std::shared_ptr<AlignedBuffer>> memory;  ///< of the tensors of one call
    std::vector<std::byte> scratch;
  };

  std::shared_ptr<const kernels::Kernel> kernel_;
  std::vector<std::shared_ptr<AlignedBuffer>> constants_;
};

}  // namespace

bool may_be_on_reals(const Model& model, const Operator& op) {
  const kernels::OpDef* const def = kernels::find_op(op);
  return model.format == "circle" && def != nullptr && !def->takes_stored && !def->stateful;
}

bool has_zero_points_by_channel(const std::vector<const Tensor*>& inputs) {
  return std::ranges::any_of(inputs, [](const Tensor* input) {
    if (input == nullptr || !input->quantized() || !input->info->quantization.per_channel()) return false;
    return std::ranges::any_of(input->info->quantization.zero_point, [](std::int64_t zero_point) { return zero_point != 0; });
  });
}

bool is_on_reals(const kernels::Kernel* kernel) { return dynamic_cast<const KernelOnReals*>(kernel) != nullptr; }

Result<RealTensors> RealTensors::of(const std::string& place, const std::vector<const Tensor*>& inputs,
                                    const std::vector<Tensor*>& outputs) {
  RealTensors all;
  const auto real = [&](const Tensor& tensor) -> Result<Tensor> {
    Tensor copy = tensor;
    if (!tensor.quantized()) return copy;
    if (tensor.info->quantization.block_size != 0) {
      return Error{Reason::kUnsupported, fmt::format("{}: '{}' has scales per block", place, tensor.info->name)};
    }
    copy.dtype = DType::kFloat32;
    copy.data = nullptr;
    return copy;
  };
  for (const Tensor* input : inputs) {
    all.inputs_.emplace_back();
    all.constants_.emplace_back();
    if (input == nullptr) continue;
    VISQ_ASSIGN(Tensor copy, real(*input));
    if (input->quantized() && input->data != nullptr) {
      VISQ_ASSIGN(all.constants_.back(), real_copy(*input, place));
      copy.data = all.constants_.back()->data();
    }
    all.inputs_.back() = std::make_unique<Tensor>(std::move(copy));
  }
  for (const Tensor* output : outputs) {
    VISQ_ASSIGN(Tensor copy, real(*output));
    all.outputs_.push_back(std::make_unique<Tensor>(std::move(copy)));
  }
  return all;
}

std::vector<const Tensor*> RealTensors::inputs() const {
  std::vector<const Tensor*> list;
  for (const auto& input : inputs_) list.push_back(input.get());
  return list;
}

std::vector<Tensor*> RealTensors::outputs() {
  std::vector<Tensor*> list;
  for (const auto& output : outputs_) list.push_back(output.get());
  return list;
}

void RealTensors::hand_over(const std::vector<Tensor*>& outputs) const {
  for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k]->shape = outputs_[k]->shape;
}

std::unique_ptr<kernels::Kernel> RealTensors::around(std::shared_ptr<const kernels::Kernel> kernel) && {
  return std::make_unique<KernelOnReals>(std::move(kernel), std::move(constants_));
}

}  // namespace visq::runtime
