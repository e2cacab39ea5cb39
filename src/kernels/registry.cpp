// The two operator tables: gathered by CMake from the files in ops/ and integer/, sorted once by name.
#include <algorithm>

#include "kernels/op.h"

namespace visq::kernels {

std::vector<const OpDef*> ops_all();      // generated
std::vector<const OpDef*> integer_all();  // generated

namespace {

std::vector<const OpDef*> sorted(std::vector<const OpDef*> all) {
  std::sort(all.begin(), all.end(), [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return all;
}

const OpDef* find(std::span<const OpDef* const> all, std::string_view label) {
  const auto found =
      std::lower_bound(all.begin(), all.end(), label, [](const OpDef* op, std::string_view name) { return op->name < name; });
  return found != all.end() && (*found)->name == label ? *found : nullptr;
}

}  // namespace

std::span<const OpDef* const> all_ops() {
  static const std::vector<const OpDef*> table = sorted(ops_all());
  return table;
}

std::span<const OpDef* const> all_integer_ops() {
  static const std::vector<const OpDef*> table = sorted(integer_all());
  return table;
}

const OpDef* find_op(std::string_view label) { return find(all_ops(), label); }
const OpDef* find_integer_op(std::string_view label) { return find(all_integer_ops(), label); }

const OpDef* find_op(const Operator& op) {
  const auto of_onnx = [](std::string_view name) { return name.starts_with("ai.onnx.") || name.starts_with("com.microsoft."); };
  if (op.domain.empty()) return of_onnx(op.label()) ? nullptr : find_op(op.label());  // a custom operator is no ONNX one
  return find_op(op.type.starts_with(op.domain) ? op.type : op.domain + "." + op.type);
}
const OpDef* find_integer_op(const Operator& op) { return op.domain.empty() ? find_integer_op(op.label()) : nullptr; }

const OpDef& facts_of(const Operator& op) {
  static constexpr OpDef kNothingKnown{};
  const OpDef* def = find_op(op);
  return def != nullptr ? *def : kNothingKnown;
}

/// Clip of ONNX says itself what it limits to, as far as that is constant.
static std::optional<backend::Clamp> clip_of(const Operator& op) {
  backend::Clamp clamp;
  const bool open_low = input_of(op, 1) != kNoTensor && op.attributes.find("min") == nullptr;
  const bool open_high = input_of(op, 2) != kNoTensor && op.attributes.find("max") == nullptr;
  if (open_low || open_high) return std::nullopt;
  clamp.low = static_cast<float>(op.attributes.real("min", static_cast<double>(clamp.low)));
  clamp.high = static_cast<float>(op.attributes.real("max", static_cast<double>(clamp.high)));
  return clamp.active() ? std::optional(clamp) : std::nullopt;
}

std::optional<backend::Clamp> clamp_of(const Operator& op) {
  if (const auto own = facts_of(op).clamps) return own;
  if (find_op(op) == find_op("ai.onnx.Clip")) return clip_of(op);
  const OpDef* fused = find_op(op.attributes.text("fused_activation_function", "NONE"));  // activations are named as operators
  return fused != nullptr ? fused->clamps : std::nullopt;
}

}  // namespace visq::kernels
