#include "analysis/records/map_record.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "data/channel_order.h"
#include "metrics/divergence.h"
#include "quant/fake_quantize.h"

namespace visq::analysis {
namespace {

using kernels::Tensor;

void compare_discrete(const Tensor& f, const Tensor& q, MapRecord& record) {
  record.integer = true;
  if (f.dtype != q.dtype) {
    record.not_compared = fmt::format("types differ: {} and {}", name(f.dtype), name(q.dtype));
    return;
  }
  const std::size_t size = size_of(f.dtype);
  if (size == 0) {
    record.not_compared = fmt::format("type {} has no values to compare", name(f.dtype));
    return;
  }
  record.stats.elements = f.elements();
  for (std::size_t i = 0; i < as_size(f.elements()); ++i) {
    record.differing += std::memcmp(f.data + i * size, q.data + i * size, size) != 0 ? 1 : 0;
  }
}

/// Ranges of per-tensor grids only: activations have no other.
metrics::ScaleLayout scale_layout(const Tensor& q) {
  const Quantization& quantization = q.info->quantization;
  if (!quant::has_grid(*q.info)) return {};
  if (!quantization.per_channel()) {
    const quant::Grid grid = quant::grid_of(*q.info);
    return {std::span(quantization.scale).first(1), 1, quant::real_value(grid, grid.low), quant::real_value(grid, grid.high)};
  }
  if (quantization.axis >= q.shape.rank()) return {std::span(quantization.scale).first(1), 1};
  return {quantization.scale, std::max<std::int64_t>(1, q.shape.elements(quantization.axis + 1, q.shape.rank()))};
}

/// Per channel of the quantized axis, else of the last one: elements of a channel are gathered, then compared like a map of their own.
void compare_channels(const float* f, const float* q, const Tensor& tensor, MapRecord& record, MapScratch& scratch) {
  const Shape& shape = tensor.shape;
  if (shape.rank() == 0 || shape.elements() == 0) return;
  const Quantization& quantization = tensor.info->quantization;
  const int axis = quantization.per_channel() && quantization.axis < shape.rank() ? quantization.axis : shape.rank() - 1;
  const std::int64_t channels = shape[axis];
  const std::int64_t inner = shape.elements(axis + 1, shape.rank());
  const std::int64_t outer = shape.elements(0, axis);
  const auto count = as_size(outer * inner);
  scratch.channel_reference.resize(count);
  scratch.channel_quantized.resize(count);
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t o = 0; o < outer; ++o) {
      const auto from = (o * channels + c) * inner;
      std::copy_n(f + from, inner, scratch.channel_reference.begin() + o * inner);
      std::copy_n(q + from, inner, scratch.channel_quantized.begin() + o * inner);
    }
    metrics::ScaleLayout layout;
    if (quant::has_grid(*tensor.info)) {
      layout.scale = std::span(quantization.scale).subspan(quantization.per_channel() ? as_size(c) : 0, 1);
    }
    record.channels.push_back(
        metrics::accumulate_pair(scratch.channel_reference.data(), scratch.channel_quantized.data(), outer * inner, layout));
  }
}

/// The same for the same bits and in all likelihood for no others, in whatever order: each step is invertible (multiplied by an odd number,
/// high bits folded into low ones).
std::uint64_t fingerprint_of(std::span<const float> values) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio, odd
  std::uint64_t print = values.size();
  for (const float value : values) {
    print = (print ^ std::bit_cast<std::uint32_t>(value)) * kFactor;
    print ^= print >> 32;
  }
  return print;
}

/// Where both have the same values with their channels in another place (NCHW, NHWC): the map in the other's order, in `memory`.
bool move_channels(Tensor& tensor, const Shape& wanted, Array& memory) {
  if (tensor.shape == wanted || tensor.strings != nullptr || size_of(tensor.dtype) == 0 || tensor.shape.rank() != wanted.rank())
    return false;
  const auto moves = data::possible_moves(tensor.shape, wanted, ChannelOrder::kUnknown);
  if (moves.empty()) return false;
  memory.dtype = tensor.dtype, memory.shape = tensor.shape;
  memory.bytes.assign(tensor.data, tensor.data + as_size(tensor.elements()) * size_of(tensor.dtype));
  memory = data::moved(memory, moves.front(), wanted);
  memory.bytes.resize(memory.bytes.size() + 64);  // metrics may read behind the end
  tensor.shape = wanted;
  tensor.data = memory.bytes.data();
  return true;
}

}  // namespace

MapRecord compare_tensors(const Tensor& f, const Tensor& q, std::int64_t saturated, MapDetail detail, MapScratch& scratch) {
  MapRecord record;
  record.shape = f.shape;
  Array moved;
  if (Tensor elsewhere = f; move_channels(elsewhere, q.shape, moved)) {
    record = compare_tensors(elsewhere, q, saturated, detail, scratch);
    record.shape = f.shape;
    return record;
  }
  if (f.shape != q.shape) {
    record.not_compared = fmt::format("shapes differ: {} and {}", to_string(f.shape), to_string(q.shape));
    return record;
  }
  if (!is_real(f) || !is_real(q)) {
    compare_discrete(f, q, record);
    return record;
  }
  const float* f_values = real_values(f, scratch.reference);
  const float* q_values = real_values(q, scratch.quantized);
  if (f_values == nullptr || q_values == nullptr) {
    record.not_compared = fmt::format("types {} and {} cannot be compared", name(f.dtype), name(q.dtype));
    return record;
  }
  record.saturated = saturated;
  record.stats = metrics::accumulate_pair(f_values, q_values, f.elements(), scale_layout(q));
  if (detail.output) measure_output(f, q, scratch, record);
  if (detail.per_channel) compare_channels(f_values, q_values, q, record, scratch);
  return record;
}

void measure_output(const Tensor& f, const Tensor& q, MapScratch& scratch, MapRecord& record) {
  const float* f_values = real_values(f, scratch.reference);
  const float* q_values = real_values(q, scratch.quantized);
  if (f_values == nullptr || q_values == nullptr) return;
  record.fingerprint = fingerprint_of({f_values, as_size(f.elements())});
  if (f.shape.rank() == 0) return;
  metrics::add_divergence(f_values, q_values, f.shape.elements(), f.shape[f.shape.rank() - 1], record.stats);
}

MapRecord compare_maps(const runtime::Executor& reference, int reference_tensor, const runtime::Executor& quantized, int quantized_tensor,
                       MapDetail detail, MapScratch& scratch) {
  if (!reference.available(reference_tensor) || !quantized.available(quantized_tensor)) {
    MapRecord record;
    record.not_compared = "not computed";
    return record;
  }
  return compare_tensors(reference.tensor(reference_tensor), quantized.tensor(quantized_tensor), quantized.saturated(quantized_tensor),
                         detail, scratch);
}

}  // namespace visq::analysis
