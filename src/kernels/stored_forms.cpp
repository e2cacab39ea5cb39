#include "kernels/stored_forms.h"

#include <string_view>
#include <utility>

#include "kernels/op.h"

namespace visq::kernels {
namespace {

constexpr std::pair<std::string_view, NarrowWeights> kNarrowWeights[] = {
    {"CONV_2D", {.beside_codes = true, .beside_reals = true}},
    {"FULLY_CONNECTED", {.beside_codes = true, .beside_reals = true, .blocks = true}},
};

}  // namespace

NarrowWeights narrow_weights(const Operator& op) {
  for (const auto& [name, forms] : kNarrowWeights) {
    if (op.label() == name) return forms;
  }
  return {};
}

bool takes_wide_maps(const Operator& op) {
  if (const OpDef* const own = find_integer_op(op)) return own->types.has(DType::kInt16);
  const OpDef& moves = facts_of(op);
  return moves.takes_stored && moves.types.has(DType::kInt16);
}

}  // namespace visq::kernels
