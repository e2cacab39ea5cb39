#include "runtime/constant_values.h"

#include <cstring>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/error.h"
#include "kernels/constants/dequantize_constant.h"
#include "kernels/constants/sparse_constant.h"

namespace visq::runtime {
namespace {

using kernels::Tensor;

Error no_memory(const std::string& place, std::uint64_t bytes) {
  return bad_input("{}: no memory for a constant: {}", place, memory_shortage(bytes));
}

Status keep(Tensor& tensor, ConstantMemory& memory, std::span<const std::byte> bytes, const std::string& place) {
  memory.bytes = AlignedBuffer(bytes.size());
  if (memory.bytes.data() == nullptr) return no_memory(place, bytes.size());
  if (!bytes.empty()) std::memcpy(memory.bytes.data(), bytes.data(), bytes.size());
  tensor.data = memory.bytes.data();
  return {};
}

/// Layout: int32 count, int32 offsets of all strings and of the end, characters. The loader has checked them.
std::vector<std::string> read_strings(std::span<const std::byte> bytes) {
  const auto number = [&](std::size_t index) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
    return as_size(value);
  };
  std::vector<std::string> strings;
  const std::size_t count = bytes.empty() ? 0 : number(0);
  for (std::size_t i = 0; i < count; ++i) {
    strings.emplace_back(reinterpret_cast<const char*>(bytes.data()) + number(1 + i), number(2 + i) - number(1 + i));
  }
  return strings;
}

Result<std::vector<float>> real_values(const TensorInfo& info, const Subgraph& subgraph, const std::string& place) {
  const Quantization& q = info.quantization;
  if (q.block_size == 0) return kernels::dequantize_constant(info, place);
  return kernels::dequantize_blocks(info, subgraph.tensors[as_size(q.block_scales)], place);
}

}  // namespace

bool holds_strings(DType type) { return type == DType::kString || type == DType::kResource || type == DType::kVariant; }

Status materialize(Tensor& tensor, const Subgraph& subgraph, ConstantMemory& memory, const std::string& place) {
  const TensorInfo& info = *tensor.info;
  if (holds_strings(info.dtype)) {
    const std::uint64_t needed = info.data.size() + info.data.size() / sizeof(std::int32_t) * sizeof(std::string);
    memory.strings_claim = MemoryClaim(needed);
    if (!memory.strings_claim.granted()) return no_memory(place, needed);
    memory.strings = read_strings(info.data);
    tensor.strings = &memory.strings;
    return {};
  }
  if (bits(info.dtype) == 0) return unsupported("{}: its constant '{}' is of type {}", place, info.name, name(info.dtype));
  const bool unpacked = tensor.dtype != info.dtype || info.sparsity != nullptr || bits(info.dtype) < 8;
  const std::uint64_t needed = static_cast<std::uint64_t>(info.shape.elements()) * size_of(tensor.dtype);
  if (unpacked && !affordable(needed)) return no_memory(place, needed);
  if (tensor.dtype != info.dtype) {
    VISQ_ASSIGN(const auto values, real_values(info, subgraph, place));
    return keep(tensor, memory, std::as_bytes(std::span(values)), place);
  }
  if (info.sparsity != nullptr) {
    VISQ_ASSIGN(const auto dense, kernels::dense_elements(info, place));
    return keep(tensor, memory, dense, place);
  }
  if (bits(info.dtype) < 8) {
    VISQ_ASSIGN(const auto wide, kernels::stored_integers(info, place));
    const std::vector<std::int8_t> values(wide.begin(), wide.end());
    return keep(tensor, memory, std::as_bytes(std::span(values)), place);
  }
  constexpr std::size_t kCopyBelow = std::size_t{1} << 20;  // small ones are copied, so that kernels may read behind their end
  const bool aligned = reinterpret_cast<std::uintptr_t>(info.data.data()) % 16 == 0;
  if (info.data.size() < kCopyBelow || !aligned) return keep(tensor, memory, info.data, place);
  tensor.data = const_cast<std::byte*>(info.data.data());
  return {};
}

}  // namespace visq::runtime
