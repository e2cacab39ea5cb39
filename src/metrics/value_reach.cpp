// Compiled once per instruction set by Highway's foreach_target.
#include "metrics/value_reach.h"

#include <limits>

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/value_reach.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace visq::metrics::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A whole number of vectors; `finite` must stay within 31 bits.
template <class D>
HWY_INLINE ValueReach reach_of_vectors(D d, const float* HWY_RESTRICT values, std::size_t count) {
  const hn::RebindToSigned<D> di;
  const auto infinity = hn::Set(di, 0x7F800000), least_normal = hn::Set(di, 0x00800000);
  const auto top = hn::Set(d, std::numeric_limits<float>::max());
  auto low = top, high = hn::Neg(top);
  auto smallest = infinity, largest = hn::Zero(di), finite = hn::Zero(di);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto value = hn::LoadU(d, values + i);
    const auto magnitude = hn::BitCast(di, hn::Abs(value));
    const auto is_finite = hn::Lt(magnitude, infinity);
    finite = hn::Sub(finite, hn::VecFromMask(di, is_finite));
    low = hn::Min(low, hn::IfThenElse(hn::RebindMask(d, is_finite), value, top));
    high = hn::Max(high, hn::IfThenElse(hn::RebindMask(d, is_finite), value, hn::Neg(top)));
    smallest = hn::Min(smallest, hn::IfThenElse(hn::Lt(magnitude, least_normal), infinity, magnitude));
    largest = hn::Max(largest, hn::IfThenElseZero(is_finite, magnitude));
  }
  return {hn::GetLane(hn::SumOfLanes(di, finite)), hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high)),
          static_cast<std::uint32_t>(hn::GetLane(hn::MinOfLanes(di, smallest))),
          static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(di, largest)))};
}

HWY_INLINE void include(ValueReach& reach, const ValueReach& other) {
  if (other.finite > 0) {
    reach.low = reach.finite > 0 ? HWY_MIN(reach.low, other.low) : other.low;
    reach.high = reach.finite > 0 ? HWY_MAX(reach.high, other.high) : other.high;
  }
  reach.finite += other.finite;
  reach.smallest = HWY_MIN(reach.smallest, other.smallest);
  reach.largest = HWY_MAX(reach.largest, other.largest);
}

ValueReach run(const float* values, std::size_t count) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;  // elements, a multiple of all lanes
  const hn::ScalableTag<float> d;
  const std::size_t whole = count - count % hn::Lanes(d);
  ValueReach reach;
  for (std::size_t i = 0; i < whole; i += kBlock) include(reach, reach_of_vectors(d, values + i, HWY_MIN(kBlock, whole - i)));
  include(reach, reach_of_vectors(hn::CappedTag<float, 1>(), values + whole, count - whole));
  return reach;
}

}  // namespace visq::metrics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::metrics {
VISQ_SIMD_COPIES(run);

ValueReach reach_of(std::span<const float> values) { return VISQ_SIMD(run)(values.data(), values.size()); }

}  // namespace visq::metrics
#endif
