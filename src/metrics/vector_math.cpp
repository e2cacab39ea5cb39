// Compiled once per instruction set by Highway's foreach_target.
#include "metrics/vector_math.h"

#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/vector_math.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace visq::metrics::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The last vector may overlap the one before it, so it is computed before any is stored; fewer numbers than a vector go one by one.
template <class Function>
HWY_INLINE void for_all(double* HWY_RESTRICT values, std::size_t count, Function&& function) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) {
    const hn::CappedTag<double, 1> one;
    for (std::size_t i = 0; i < count; ++i) hn::StoreU(function(one, hn::LoadU(one, values + i)), one, values + i);
    return;
  }
  const auto last = function(d, hn::LoadU(d, values + count - lanes));
  for (std::size_t i = 0; i + lanes <= count; i += lanes) hn::StoreU(function(d, hn::LoadU(d, values + i)), d, values + i);
  hn::StoreU(last, d, values + count - lanes);
}

void exponentials_of(double* values, std::size_t count) {
  for_all(values, count, [](auto d, auto x) HWY_ATTR { return hn::Exp(d, x); });
}

void logarithms_of(double* values, std::size_t count) {
  for_all(values, count, [](auto d, auto x) HWY_ATTR { return hn::Log(d, x); });
}

}  // namespace visq::metrics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::metrics {

VISQ_SIMD_COPIES(exponentials_of);
VISQ_SIMD_COPIES(logarithms_of);

void exponentials(std::span<double> values) { VISQ_SIMD(exponentials_of)(values.data(), values.size()); }
void logarithms(std::span<double> values) { VISQ_SIMD(logarithms_of)(values.data(), values.size()); }

}  // namespace visq::metrics
#endif
