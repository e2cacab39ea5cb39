#include "kernels/onnx/translation.h"

#include <cstring>

#include "core/as_size.h"
#include "kernels/parameters.h"

namespace visq::kernels {
namespace {

constexpr std::size_t kReadBehind = 64;  // what kernels may read behind a tensor's end

class TranslatedKernel final : public Kernel {
 public:
  TranslatedKernel(std::unique_ptr<Kernel> kernel, std::vector<PrepareContext::Operand> operands, std::shared_ptr<const void> keeps)
      : kernel_(std::move(kernel)), operands_(std::move(operands)), keeps_(std::move(keeps)) {}

  Status eval(EvalContext& context) const override {
    std::vector<const Tensor*> inputs;
    inputs.reserve(operands_.size());
    for (const auto& [slot, own] : operands_) inputs.push_back(own != nullptr ? own : context.has_input(slot) ? &context.input(slot) : own);
    EvalContext inner = context.with_inputs(inputs);
    return kernel_->eval(inner);
  }
  std::unique_ptr<KernelState> make_state() const override { return kernel_->make_state(); }
  std::size_t scratch_bytes() const override { return kernel_->scratch_bytes(); }

 private:
  std::unique_ptr<Kernel> kernel_;
  std::vector<PrepareContext::Operand> operands_;
  std::shared_ptr<const void> keeps_;
};

}  // namespace

Translation::Translation(PrepareContext& context, std::string_view type) : context_(context) {
  op_.type = type;
  op_.attributes.set(std::string(kKeepsInfinities), true);
}

Translation& Translation::option(std::string name, Attribute value) {
  op_.attributes.set(std::move(name), std::move(value));
  return *this;
}

Translation& Translation::input(int slot) {
  operands_.push_back({.slot = slot});
  return *this;
}

Translation& Translation::inputs(int count) {
  for (int slot = 0; slot < count; ++slot) input(slot);
  return *this;
}

Translation::Constant& Translation::add_constant(DType type, Shape shape) {
  Constant& constant = constants_->emplace_back();
  constant.tensor.dtype = type;
  constant.tensor.shape = std::move(shape);
  constant.bytes.resize(as_size(constant.tensor.elements()) * size_of(type) + kReadBehind);
  constant.tensor.data = constant.bytes.data();
  operands_.push_back({.own = &constant.tensor});
  return constant;
}

Translation& Translation::integers(std::span<const std::int64_t> values, Shape shape) {
  Constant& constant = add_constant(DType::kInt64, std::move(shape));
  if (!values.empty()) std::memcpy(constant.bytes.data(), values.data(), values.size_bytes());
  return *this;
}
Translation& Translation::integers(std::span<const std::int64_t> values) {
  return integers(values, {static_cast<std::int64_t>(values.size())});
}
Translation& Translation::integer(std::int64_t value) { return integers(std::span(&value, 1), {}); }

Translation& Translation::zero(DType type) {
  add_constant(type, {});
  return *this;
}

Result<std::unique_ptr<Kernel>> Translation::prepare() {
  VISQ_ASSIGN(auto kernel, context_.prepare_as(op_, operands_));
  return std::unique_ptr<Kernel>(std::make_unique<TranslatedKernel>(std::move(kernel), std::move(operands_), constants_));
}

Result<std::optional<std::vector<std::int64_t>>> integers_or_input(PrepareContext& context, std::string_view attribute, int slot) {
  using Values = std::optional<std::vector<std::int64_t>>;
  if (context.attributes().find(attribute) != nullptr) {
    const auto values = context.attributes().integers(attribute);
    return Values(std::vector<std::int64_t>(values.begin(), values.end()));
  }
  if (!context.has_input(slot)) return Values();
  VISQ_ASSIGN(auto values, context.integers(slot, attribute));
  return Values(std::move(values));
}

}  // namespace visq::kernels
