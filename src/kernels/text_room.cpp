#include "kernels/text_room.h"

#include <algorithm>
#include <limits>

#include "core/available_memory.h"
#include "core/checked.h"

namespace visq::kernels {
namespace {

std::uint64_t most_text(std::span<const Tensor* const> inputs, std::span<Tensor* const> outputs) {
  std::int64_t elements = 0;
  for (const Tensor* output : outputs) elements += output->dtype == DType::kString ? output->elements() : 0;
  if (elements == 0) return 0;
  std::size_t longest = 0;
  for (const Tensor* input : inputs) {
    if (input == nullptr || input->strings == nullptr) continue;
    for (const std::string& text : *input->strings) longest = std::max(longest, text.size());
  }
  const auto bytes = checked_mul(elements, static_cast<std::int64_t>(longest + sizeof(std::string)));
  return bytes ? static_cast<std::uint64_t>(*bytes) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::optional<std::string> text_shortage(std::span<const Tensor* const> inputs, std::span<Tensor* const> outputs) {
  const std::uint64_t bytes = most_text(inputs, outputs);
  if (affordable(bytes)) return std::nullopt;
  return "no memory for its output: " + memory_shortage(bytes);
}

}  // namespace visq::kernels
