#include "kernels/op.h"

#include <algorithm>
#include <new>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/checked.h"
#include "kernels/constants/dequantize_constant.h"

namespace visq::kernels {

std::byte* EvalContext::scratch(std::size_t bytes) const {
  constexpr std::size_t kAlignment = 64;
  if (scratch_.size() < bytes + kAlignment) {
    if (!affordable(bytes + kAlignment)) throw std::bad_alloc();
    scratch_.resize(bytes + kAlignment);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(scratch_.data());
  return scratch_.data() + (kAlignment - address % kAlignment) % kAlignment;
}

Error PrepareContext::error_here(Reason reason, fmt::string_view text, fmt::format_args values) const {
  return {reason, place_ + ": " + fmt::vformat(text, values)};
}

const TensorInfo* PrepareContext::intermediate(int position) const {
  const auto index = as_size(position);
  if (subgraph_ == nullptr || index >= op_.intermediates.size() || op_.intermediates[index] < 0) return nullptr;
  return &declared(op_.intermediates[index]);
}

const Subgraph* PrepareContext::called(std::int64_t subgraph) const {
  if (model_ == nullptr || subgraph < 0 || subgraph >= static_cast<std::int64_t>(model_->subgraphs.size())) return nullptr;
  return &model_->subgraphs[as_size(subgraph)];
}

Status PrepareContext::expect_inputs(int low, int high) const {
  if (input_count() < low || input_count() > high) {
    return low == high ? fail("has {} inputs, expected {}", input_count(), low)
                       : fail("has {} inputs, expected {} to {}", input_count(), low, high);
  }
  for (int slot = 0; slot < low; ++slot) {
    if (!has_input(slot)) return fail("input {} is absent", slot);
  }
  return {};
}

Status PrepareContext::expect_outputs(int count) const {
  if (output_count() != count) return fail("has {} outputs, expected {}", output_count(), count);
  return {};
}

Status PrepareContext::expect_rank(int slot, std::string_view role, int rank) const {
  if (input(slot).shape.rank() != rank) return fail("{} has rank {}, expected {}", role, input(slot).shape.rank(), rank);
  return {};
}

Status PrepareContext::expect_type(int slot, std::string_view role, std::initializer_list<DType> types) const {
  const DType type = input(slot).dtype;
  if (std::find(types.begin(), types.end(), type) == types.end()) return unsupported("{} has type {}", role, name(type));
  return {};
}

Status PrepareContext::expect_same_type(int slot, std::string_view role, int other) const {
  if (input(slot).dtype != input(other).dtype) {
    return fail("{} has type {}, expected {}", role, name(input(slot).dtype), name(input(other).dtype));
  }
  return {};
}

Status PrepareContext::require_known(int slot) {
  values_read_[as_size(slot)] = true;
  if (has_values(input(slot))) return {};
  deferred_ = true;
  return fail("values of input {} are not known before the run", slot);
}

Result<std::vector<std::int64_t>> PrepareContext::integers(int slot, std::string_view role) {
  VISQ_TRY(expect_type(slot, role, {DType::kInt32, DType::kInt64}));
  VISQ_TRY(require_known(slot));
  const Tensor& tensor = input(slot);
  if (tensor.dtype == DType::kInt64) {
    const auto values = tensor.values<std::int64_t>();
    return std::vector<std::int64_t>(values.begin(), values.end());
  }
  const auto values = tensor.values<std::int32_t>();
  return std::vector<std::int64_t>(values.begin(), values.end());
}

Status PrepareContext::set_output(int slot, DType dtype, Shape shape) {
  const auto elements = checked_elements(shape.dims());
  const std::size_t size = dtype == DType::kString ? sizeof(std::string) : size_of(dtype);
  const auto bytes = elements ? checked_mul(*elements, static_cast<std::int64_t>(size)) : std::nullopt;
  if (!bytes) return fail("output {} would have the shape {}", slot, to_string(shape));
  if (const auto wanted = static_cast<std::uint64_t>(*bytes); !affordable(wanted)) {
    return fail("output {} would have the shape {}: {}", slot, to_string(shape), memory_shortage(wanted));
  }
  Tensor& tensor = *outputs_[as_size(slot)];
  if (tensor.dtype != dtype) return fail("output {} is declared as {}, computed as {}", slot, name(tensor.dtype), name(dtype));
  tensor.shape = std::move(shape);
  return {};
}

Result<std::unique_ptr<Kernel>> PrepareContext::prepare_as(const Operator& op, std::span<const Operand> operands) {
  const OpDef* const def = find_op(op.type);
  if (def == nullptr) return internal_error("{}: no operator {}", place_, op.type);
  std::vector<const Tensor*> inputs;
  std::vector<bool> fixed;
  for (const Operand& operand : operands) {
    const bool here = operand.own == nullptr && has_input(operand.slot);
    inputs.push_back(here ? &input(operand.slot) : operand.own);
    fixed.push_back(!here || fixed_[as_size(operand.slot)]);
  }
  PrepareContext other(op, place_, std::move(inputs), outputs_);
  other.belongs_to(model_, subgraph_);
  other.mark_fixed(std::move(fixed));
  if (other.has_input(def->main_input) && !def->types.has(other.input(def->main_input).dtype)) {
    return unsupported("cannot run with {} as input {}", name(other.input(def->main_input).dtype), operands[as_size(def->main_input)].slot);
  }
  auto kernel = def->prepare(other);
  deferred_ = deferred_ || other.deferred_;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (other.values_read_[i] && operands[i].slot >= 0) values_read_[as_size(operands[i].slot)] = true;
  }
  return kernel;
}

Result<std::vector<float>> PrepareContext::real_constant(int slot, std::string_view role) const {
  const Tensor& tensor = input(slot);
  if (tensor.dtype != DType::kFloat32) return unsupported("{} has type {}", role, name(tensor.dtype));
  const bool in_file = tensor.info != nullptr && tensor.info->is_constant && tensor.info->quantization.block_size == 0;
  if (in_file) return dequantize_constant(*tensor.info, place_);
  if (tensor.data == nullptr) return fail("{} is no constant", role);
  const auto values = tensor.values<float>();
  return std::vector<float>(values.begin(), values.end());
}

}  // namespace visq::kernels
