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

const OpDef& facts_of(const Operator& op) {
  static constexpr OpDef kNothingKnown{};
  const OpDef* def = find_op(op.label());
  return def != nullptr ? *def : kNothingKnown;
}

std::optional<backend::Clamp> clamp_of(const Operator& op) {
  if (const auto own = facts_of(op).clamps) return own;
  const OpDef* fused = find_op(op.attributes.text("fused_activation_function", "NONE"));  // activations are named as operators
  return fused != nullptr ? fused->clamps : std::nullopt;
}

}  // namespace visq::kernels
