#include "analysis/map_record.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "analysis/real_values.h"
#include "core/error.h"
#include "kernels/cpu_clones.h"
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
  for (std::size_t i = 0; i < static_cast<std::size_t>(f.elements()); ++i) {
    record.differing += std::memcmp(f.data + i * size, q.data + i * size, size) != 0 ? 1 : 0;
  }
}

metrics::ScaleLayout scale_layout(const Tensor& q) {
  const Quantization& quantization = q.info->quantization;
  if (!quant::has_grid(*q.info)) return {};
  if (!quantization.per_channel() || quantization.axis >= q.shape.rank()) return {std::span(quantization.scale).first(1), 1};
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
  const auto count = static_cast<std::size_t>(outer * inner);
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
      layout.scale = std::span(quantization.scale).subspan(quantization.per_channel() ? static_cast<std::size_t>(c) : 0, 1);
    }
    record.channels.push_back(
        metrics::accumulate_pair(scratch.channel_reference.data(), scratch.channel_quantized.data(), outer * inner, layout));
  }
}

constexpr std::int64_t kLanes = 16, kStretch = 16 * kLanes;

/// Whether elements of a stretch lie outside [low, high].
VISQ_CPU_CLONES bool reaches_outside(const float* __restrict f, float low, float high) {
  int lanes[kLanes] = {};
  for (std::int64_t i = 0; i < kStretch; i += kLanes) {
    for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] |= static_cast<int>(f[i + k] < low) | static_cast<int>(f[i + k] > high);
  }
  return std::any_of(lanes, lanes + kLanes, [](int lane) { return lane != 0; });
}

/// Sum of squared errors over the elements with f outside [low, high], in float32 lanes over at most a stretch.
VISQ_CPU_CLONES float error_of_stretch(const float* __restrict f, const float* __restrict q, std::int64_t count, float low, float high) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t k = 0; k < kLanes; ++k) {
      const float d = f[i + k] - q[i + k];
      lanes[k] += f[i + k] < low || f[i + k] > high ? d * d : 0.0F;
    }
  }
  for (; i < count; ++i) {
    const float d = f[i] - q[i];
    lanes[0] += f[i] < low || f[i] > high ? d * d : 0.0F;
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

/// Squared error on elements that the quantized tensor cannot represent. The second look at the maps is taken only where the reference
/// leaves the range at all. Per-tensor grids only: activations have no other. Stretches with non-finite errors do not count.
double error_outside_range(const float* f, const float* q, const Tensor& tensor, const metrics::PairStats& stats) {
  if (!quant::has_grid(*tensor.info) || tensor.info->quantization.per_channel()) return 0;
  const quant::Grid grid = quant::grid_of(*tensor.info);
  const float low = quant::real_value(grid, grid.low);
  const float high = quant::real_value(grid, grid.high);
  if (stats.min_f >= static_cast<double>(low) && stats.max_f <= static_cast<double>(high)) return 0;
  double sum = 0;
  for (std::int64_t first = 0; first < stats.elements; first += kStretch) {
    const std::int64_t count = std::min(kStretch, stats.elements - first);
    if (count == kStretch && !reaches_outside(f + first, low, high)) continue;
    const float part = error_of_stretch(f + first, q + first, count, low, high);
    if (std::isfinite(part)) sum += static_cast<double>(part);
  }
  return sum;
}

}  // namespace

MapRecord compare_tensors(const Tensor& f, const Tensor& q, std::int64_t saturated, bool per_channel, MapScratch& scratch) {
  MapRecord record;
  record.shape = f.shape;
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
  record.sum_dd_outside = error_outside_range(f_values, q_values, q, record.stats);
  if (per_channel) compare_channels(f_values, q_values, q, record, scratch);
  return record;
}

MapRecord compare_maps(const runtime::Executor& reference, int reference_tensor, const runtime::Executor& quantized, int quantized_tensor,
                       bool per_channel, MapScratch& scratch) {
  if (!reference.available(reference_tensor) || !quantized.available(quantized_tensor)) {
    MapRecord record;
    record.not_compared = "not computed";
    return record;
  }
  return compare_tensors(reference.tensor(reference_tensor), quantized.tensor(quantized_tensor), quantized.saturated(quantized_tensor),
                         per_channel, scratch);
}

}  // namespace visq::analysis
