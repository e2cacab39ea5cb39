#include "quant/blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/joined.h"
#include "quant/constant_likeness.h"

namespace visq::quant {
namespace {

constexpr std::size_t kMostOperators = 256;  // attention with its heads one by one
constexpr std::int64_t kMostElements = 4096;

/// Factors and summands for each channel that a block multiplies or adds; those that change nothing are left out.
std::vector<ConstantLook> factors_of(const PairSide& side, const Block& block) {
  std::vector<ConstantLook> looks;
  for (const int op : block.operators) {
    for (const int input : side.index.op(op).inputs) {
      if (input < 0) continue;
      const TensorInfo& constant = side.index.tensor(side.index.origin(input));
      if (!constant.is_constant || constant.shape.elements() < 2 || constant.shape.elements() > kMostElements) continue;
      if (is_integer(constant.dtype) && !constant.quantization.quantized()) continue;
      auto look = look_at(constant, -1, kMostElements);
      const auto neutral = [](float value) { return value == 0 || std::fabs(value - 1) < 1e-6F; };
      if (!look || std::all_of(look->values.begin(), look->values.end(), neutral)) continue;
      // a sign may stand before what they are multiplied with
      std::transform(look->values.begin(), look->values.end(), look->values.begin(), [](float value) { return std::fabs(value); });
      looks.push_back(std::move(*look));
    }
  }
  return looks;
}

/// Likeness and size: half of a constant is another one.
bool same_factors(const ConstantLook& a, const ConstantLook& b) {
  constexpr double kAlike = 0.98, kAsLarge = 0.1;
  if (likeness(a, b).value_or(0) < kAlike) return false;
  double own = 0, other = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    own += static_cast<double>(a.values[i]);
    other += static_cast<double>(b.values[i]);
  }
  return std::fabs(own - other) <= kAsLarge * std::max(own, other);
}

bool each_has_a_twin(const std::vector<ConstantLook>& a, const std::vector<ConstantLook>& b) {
  return std::all_of(a.begin(), a.end(), [&](const ConstantLook& own) {
    return std::any_of(b.begin(), b.end(), [&](const ConstantLook& other) { return same_factors(own, other); });
  });
}

/// The nearest map with a partner behind an operator, on the way of first readers; kNone where there is none.
int leads_to(const PairSide& side, int op) {
  int tensor = side.index.op(op).outputs.empty() ? kNone : side.index.op(op).outputs[0];
  for (std::size_t step = 0; tensor != kNone && step < kMostOperators; ++step) {
    if (side.partner[as_size(tensor)] != kNone) return tensor;
    const auto& readers = side.index.readers(tensor);
    if (readers.empty() || side.index.op(readers[0]).outputs.empty()) return kNone;
    tensor = side.index.op(readers[0]).outputs[0];
  }
  return kNone;
}

}  // namespace

std::optional<Block> block_behind(const PairSide& side, int tensor) {
  Block block;
  std::set<int> operators, seen;
  std::vector<int> open{side.index.origin(tensor)};
  const int end = open[0];
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const int maker = side.index.maker(at);
    if (at != end && (side.partner[as_size(at)] != kNone || maker == kNone)) {
      block.begins.insert(at);
      continue;
    }
    if (maker == kNone || !operators.insert(maker).second) continue;
    if (operators.size() > kMostOperators) return std::nullopt;
    for (const int input : side.graph.data_inputs(maker)) open.push_back(input);
  }
  block.operators.assign(operators.begin(), operators.end());
  return block;
}

bool same_block(const PairSide& r, int r_tensor, const PairSide& q, int q_tensor) {
  const auto own = block_behind(r, r_tensor), other = block_behind(q, q_tensor);
  if (!own || !other || own->operators.empty() || other->operators.empty() || own->begins.empty()) return false;
  std::set<int> partners;
  for (const int tensor : own->begins) partners.insert(r.partner[as_size(tensor)]);
  if (partners != other->begins) return false;
  const auto a = factors_of(r, *own), b = factors_of(q, *other);
  return each_has_a_twin(a, b) && each_has_a_twin(b, a);
}

std::string done_otherwise(const PairSide& own, int op, const PairSide& other) {
  const int end = leads_to(own, op);
  if (end == kNone) return {};
  const auto block = block_behind(other, own.partner[as_size(end)]);
  if (!block) return {};
  const int last = other.index.maker(other.index.origin(own.partner[as_size(end)]));
  std::vector<std::string> types;
  for (const int each : block->operators) {
    const std::string type = other.index.op(each).label();
    if (each != last && std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  if (types.empty()) return {};
  return fmt::format("before '{}' stand there {}", other.index.tensor(own.partner[as_size(end)]).name, joined(types, ", "));
}

}  // namespace visq::quant
