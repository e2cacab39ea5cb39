// Compiled once per instruction set by Highway's foreach_target; the same arithmetic, so the same numbers, on each.
#include "quant/fake_quantize_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quant/fake_quantize_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace visq::quant::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The grid as float32: its range relative to the zero point.
struct Constants {
  float scale, inverse, low, high;
  std::int32_t zero_point;
};

/// Rounds half away from zero: truncation of v + 0.5 would be wrong for 0.49999997.
template <class D>
HWY_INLINE hn::Vec<D> round_half_away(D d, hn::Vec<D> v) {
  const auto truncated = hn::Trunc(v);
  const auto step = hn::CopySignToAbs(hn::Set(d, 1.0F), v);
  const auto away = hn::Ge(hn::Abs(hn::Sub(v, truncated)), hn::Set(d, 0.5F));
  return hn::Add(truncated, hn::IfThenElseZero(away, step));
}

/// Stores stored integers, one or two bytes each. Signed and unsigned bytes differ only in how the same bits are read.
template <class DI>
HWY_INLINE void store_codes(DI /*d*/, hn::Vec<DI> q, std::uint8_t* codes, std::size_t code_bytes) {
  if (code_bytes == 1) {
    const hn::RebindToUnsigned<DI> du;
    const auto wrapped = hn::And(hn::BitCast(du, q), hn::Set(du, 0xFFU));
    hn::StoreU(hn::U8FromU32(wrapped), hn::Rebind<std::uint8_t, DI>(), codes);
  } else {
    const hn::Rebind<std::int16_t, DI> shorts;
    hn::StoreU(hn::DemoteTo(shorts, q), shorts, reinterpret_cast<std::int16_t*>(codes));
  }
}

/// v / scale, rounded half away from zero. Multiplying by the inverse is off by less than 2^-22 of the quotient, so rounding it to the
/// nearest integer is right unless a tie is that near; vectors with such a lane (or a NaN) take the division.
template <class D>
HWY_INLINE hn::Vec<D> rounded_quotient(D d, hn::Vec<D> v, const Constants& c) {
  const auto quotient = hn::Mul(v, hn::Set(d, c.inverse));
  const auto nearest = hn::Round(quotient);
  const auto safe = hn::MulAdd(hn::Abs(quotient), hn::Set(d, -0x1p-21F), hn::Set(d, 0.49999F));
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(hn::Sub(quotient, nearest)), safe)))) return nearest;
  return round_half_away(d, hn::Div(v, hn::Set(d, c.scale)));
}

/// One vector: rounds in place, stores the codes, returns the number of lanes beyond the range.
template <class D>
HWY_INLINE std::size_t quantize_vector(D d, float* values, const Constants& c, std::uint8_t* codes, std::size_t code_bytes) {
  const hn::RebindToSigned<D> di;
  const auto v = hn::LoadU(d, values);
  const auto rounded = rounded_quotient(d, v, c);
  const auto low = hn::Set(d, c.low);
  const auto high = hn::Set(d, c.high);
  const auto clamped = hn::Min(hn::Max(rounded, low), high);
  const auto is_nan = hn::IsNaN(v);
  hn::StoreU(hn::IfThenElse(is_nan, v, hn::Mul(clamped, hn::Set(d, c.scale))), d, values);
  if (codes != nullptr) {
    const auto q = hn::Add(hn::ConvertTo(di, hn::IfThenZeroElse(is_nan, clamped)), hn::Set(di, c.zero_point));
    store_codes(di, q, codes, code_bytes);
  }
  return hn::CountTrue(d, hn::Or(hn::Lt(rounded, low), hn::Gt(rounded, high)));
}

std::int64_t run(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  const auto zero_point = static_cast<float>(grid.zero_point);
  const Constants constants{grid.scale, 1.0F / grid.scale, static_cast<float>(grid.low) - zero_point,
                            static_cast<float>(grid.high) - zero_point, grid.zero_point};
  const auto code_at = [&](std::size_t i) { return codes == nullptr ? nullptr : static_cast<std::uint8_t*>(codes) + i * code_bytes; };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t beyond = 0;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) beyond += quantize_vector(d, values + i, constants, code_at(i), code_bytes);
  for (; i < count; ++i) beyond += quantize_vector(single, values + i, constants, code_at(i), code_bytes);
  return static_cast<std::int64_t>(beyond);
}

}  // namespace visq::quant::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::quant {
HWY_EXPORT(run);

std::int64_t fake_quantize_simd(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes) {
  return HWY_DYNAMIC_DISPATCH(run)(values, count, grid, codes, code_bytes);
}

}  // namespace visq::quant
#endif
