#include "kernels/indexing/interior_padding.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"

namespace visq::kernels {
namespace {

/// How one axis is spread: which elements are kept, and where the first of them goes.
struct Spread {
  std::int64_t size = 0;  ///< of the padded axis
  std::int64_t first = 0, count = 0, start = 0, step = 1;
};

/// Nothing where a size is negative or overflows.
std::optional<Spread> spread_axis(std::int64_t size, const AxisPadding& padding) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  const auto too_large = [](std::int64_t value) { return value < -kLargest || value > kLargest; };
  if (padding.interior < 0 || too_large(padding.interior) || too_large(padding.low) || too_large(padding.high)) return std::nullopt;
  const auto gaps = checked_mul(std::max<std::int64_t>(size - 1, 0), padding.interior);
  if (!gaps || *gaps > kLargest || size > kLargest) return std::nullopt;
  Spread spread;
  spread.step = padding.interior + 1;
  spread.size = size + *gaps + padding.low + padding.high;
  if (spread.size < 0) return std::nullopt;
  spread.first = padding.low < 0 ? (-padding.low + spread.step - 1) / spread.step : 0;
  const std::int64_t room = spread.size - padding.low;  // positions from element 0 to the end
  const std::int64_t end = room <= 0 ? 0 : std::min(size, (room - 1) / spread.step + 1);
  spread.count = spread.size == 0 ? 0 : std::max<std::int64_t>(end - spread.first, 0);
  spread.start = spread.count > 0 ? spread.first * spread.step + padding.low : 0;
  return spread;
}

}  // namespace

Result<InteriorPad> InteriorPad::plan(const PrepareContext& context, const Shape& shape, std::span<const AxisPadding> paddings) {
  InteriorPad pad;
  std::vector<Spread> axes;
  Shape kept;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const AxisPadding& padding = paddings[as_size(axis)];
    const auto spread = spread_axis(shape[axis], padding);
    if (!spread) {
      return context.fail("axis {} of size {} is padded by {} and {}, with gaps of {}", axis, shape[axis], padding.low, padding.high,
                          padding.interior);
    }
    axes.push_back(*spread);
    kept.push_back(spread->count);
    pad.padded_.push_back(spread->size);
  }
  if (!checked_elements(pad.padded_.dims())) return context.fail("the padded shape {} is too large", to_string(pad.padded_));
  const auto strides = dense_strides(pad.padded_);
  Walk source = dense_walk(shape), target{0, strides};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    source.offset += axes[i].first * (axes[i].count > 0 ? source.strides[i] : 0);
    target.offset += axes[i].start * strides[i];
    if (axes[i].count > 1) target.strides[i] *= axes[i].step;
  }
  pad.interior_ = StridedCopy(kept, source, target);
  pad.fill_ = StridedCopy(pad.padded_, {0, std::vector<std::int64_t>(strides.size(), 0)}, {0, strides});
  pad.fills_ = kept != pad.padded_;
  return pad;
}

void InteriorPad::run(const Tensor& input, const Tensor& value, Tensor& output) const {
  if (fills_) fill_.run(value, output);
  interior_.run(input, output);
}

}  // namespace visq::kernels
