#include "analysis/origin/origin_errors.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "quant/fake_quantize.h"

namespace visq::analysis {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kBlock = 1024;
constexpr std::size_t kLanes = 16;

/// The maps of one stretch of elements that share a grid.
struct Stretch {
  const float *f, *exact, *inside, *rounded;
  float low, high;  ///< of the grid; infinite without one
};

enum Sum : std::size_t { kCreated, kWeights, kInner, kRounding, kClipping, kSums };

/// The terms of one element. Conditional terms are chosen, not branched to: loops over it are turned into vectors.
template <class Real>
inline void add_terms(float f, float u, float v, float y, float low, float high, Real* sums, std::size_t stride) {
  const Real weights = static_cast<Real>(u) - static_cast<Real>(f);
  const Real inner = static_cast<Real>(v) - static_cast<Real>(u);
  const Real output = static_cast<Real>(y) - static_cast<Real>(v);
  const Real all = static_cast<Real>(y) - static_cast<Real>(f);
  const Real squared = output * output;
  const Real outside = v < low || v > high ? squared : Real{0};
  sums[kCreated * stride] += all * all;
  sums[kWeights * stride] += weights * weights;
  sums[kInner * stride] += inner * inner;
  sums[kRounding * stride] += squared - outside;
  sums[kClipping * stride] += outside;
}

/// Sums of `count` elements in float32 lanes. Not finite where an element is not, or a square is too large.
VISQ_CPU_CLONES void sum_block(const Stretch& maps, std::size_t first, std::size_t count, float* __restrict sums) {
  float lanes[kSums * kLanes] = {};
  const float* __restrict f = maps.f + first;
  const float* __restrict u = maps.exact + first;
  const float* __restrict v = maps.inside + first;
  const float* __restrict y = maps.rounded + first;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) add_terms(f[i + k], u[i + k], v[i + k], y[i + k], maps.low, maps.high, lanes + k, kLanes);
  }
  for (; i < count; ++i) add_terms(f[i], u[i], v[i], y[i], maps.low, maps.high, lanes, kLanes);
  for (std::size_t s = 0; s < kSums; ++s) {
    sums[s] = 0;
    for (std::size_t k = 0; k < kLanes; ++k) sums[s] += lanes[s * kLanes + k];
  }
}

void sum_created(const Stretch& maps, std::size_t count, double* sums, std::int64_t& non_finite) {
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t length = std::min(kBlock, count - first);
    float block[kSums];
    sum_block(maps, first, length, block);
    if (std::all_of(block, block + kSums, [](float sum) { return std::isfinite(sum); })) {
      for (std::size_t s = 0; s < kSums; ++s) sums[s] += static_cast<double>(block[s]);
      continue;
    }
    for (std::size_t i = first; i < first + length; ++i) {
      const float values[] = {maps.f[i], maps.exact[i], maps.inside[i], maps.rounded[i]};
      if (std::all_of(values, values + 4, [](float value) { return std::isfinite(value); })) {
        add_terms(values[0], values[1], values[2], values[3], maps.low, maps.high, sums, 1);
      } else {
        ++non_finite;
      }
    }
  }
}

VISQ_CPU_CLONES float block_difference(const float* __restrict a, const float* __restrict b, std::size_t count) {
  float lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
  }
  for (; i < count; ++i) lanes[0] += (a[i] - b[i]) * (a[i] - b[i]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

double sum_difference(const float* a, const float* b, std::size_t count, std::int64_t& non_finite) {
  double sum = 0;
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t length = std::min(kBlock, count - first);
    const float block = block_difference(a + first, b + first, length);
    if (std::isfinite(block)) {
      sum += static_cast<double>(block);
      continue;
    }
    for (std::size_t i = first; i < first + length; ++i) {
      const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      if (std::isfinite(difference)) sum += difference * difference;
      non_finite += std::isfinite(difference) ? 0 : 1;
    }
  }
  return sum;
}

/// A sum of squares in units of the channel's scale.
double in_steps(double sum, const TensorInfo& tensor, std::size_t channel) {
  if (!quant::has_grid(tensor)) return 0;
  const auto scale = static_cast<double>(tensor.quantization.scale[channel]);
  return sum / scale / scale;
}

/// NaN stays NaN.
VISQ_CPU_CLONES void cut(float* __restrict values, std::size_t count, float low, float high) {
  for (std::size_t i = 0; i < count; ++i) {
    const float raised = values[i] < low ? low : values[i];
    values[i] = raised > high ? high : raised;
  }
}

}  // namespace

void add_created(const CreatedMaps& maps, const TensorInfo& tensor, bool rounds, const Shape& shape, OriginScratch& scratch,
                 OriginRecord& record) {
  const auto count = as_size(shape.elements());
  const bool cuts = std::isfinite(maps.low) || std::isfinite(maps.high);
  const auto cut_copy = [&](const float* values, std::vector<float>& copy) {
    if (!cuts) return values;
    copy.assign(values, values + count);
    cut(copy.data(), count, maps.low, maps.high);
    return static_cast<const float*>(copy.data());
  };
  const float* exact = cut_copy(maps.exact, scratch.exact);
  const float* inside = maps.inside == maps.exact ? exact : cut_copy(maps.inside, scratch.inside);
  const float* y = inside;
  if (rounds) {
    scratch.rounded.assign(maps.inside, maps.inside + count);
    quant::fake_quantize(scratch.rounded.data(), tensor, shape, nullptr);
    y = scratch.rounded.data();
  }
  record.elements = shape.elements();
  record.has_created = true;
  quant::for_each_grid(tensor, shape, [&](std::size_t first, std::size_t length, std::size_t channel) {
    Stretch stretch{maps.f + first, exact + first, inside + first, y + first, -kInfinity, kInfinity};
    if (rounds) {
      const quant::Grid grid = quant::grid_of(tensor, channel);
      stretch.low = quant::real_value(grid, grid.low);
      stretch.high = quant::real_value(grid, grid.high);
    }
    double sums[kSums] = {};
    sum_created(stretch, length, sums, record.created_non_finite);
    record.created += sums[kCreated];
    record.weights += sums[kWeights];
    record.inner += sums[kInner];
    record.rounding += sums[kRounding];
    record.clipping += sums[kClipping];
    record.created_scaled += in_steps(sums[kCreated], tensor, channel);
  });
}

void add_inherited(const float* f, const float* inherited, const TensorInfo& tensor, const Shape& shape, OriginRecord& record) {
  record.elements = shape.elements();
  record.has_inherited = true;
  quant::for_each_grid(tensor, shape, [&](std::size_t first, std::size_t length, std::size_t channel) {
    const double sum = sum_difference(f + first, inherited + first, length, record.inherited_non_finite);
    record.inherited += sum;
    record.inherited_scaled += in_steps(sum, tensor, channel);
  });
}

}  // namespace visq::analysis
