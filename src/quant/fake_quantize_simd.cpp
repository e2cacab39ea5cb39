// Compiled once per instruction set by Highway's foreach_target; the same arithmetic, so the same numbers, on each.
#include "quant/fake_quantize_simd.h"

#include <limits>

#include "core/simd.h"

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
  float safe;  ///< see quantize_block()
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

/// One vector: rounds in place, stores the codes, returns the number of lanes beyond the range.
template <class D>
HWY_INLINE std::size_t quantize_vector(D d, float* values, const Constants& c, std::uint8_t* codes, std::size_t code_bytes) {
  const hn::RebindToSigned<D> di;
  const auto v = hn::LoadU(d, values);
  const auto rounded = round_half_away(d, hn::Div(v, hn::Set(d, c.scale)));
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

constexpr std::size_t kBlockVectors = 4;

/// kBlockVectors vectors the same way, without divisions: multiplying by the inverse is off by less than 2^-22 of the quotient, so that
/// rounding it to the nearest integer is right unless a tie is that near, or a NaN. Quotients beyond the range are clamped anyway.
/// False where there are such lanes; then nothing was done. Adds the number of lanes beyond the range.
template <bool kCodes, class D>
HWY_INLINE bool quantize_block(D d, float* values, const Constants& c, std::uint8_t* codes, std::size_t code_bytes, std::size_t& beyond) {
  const hn::RebindToSigned<D> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto inverse = hn::Set(d, c.inverse), scale = hn::Set(d, c.scale), low = hn::Set(d, c.low), high = hn::Set(d, c.high);
  const auto q0 = hn::Mul(hn::LoadU(d, values), inverse), q1 = hn::Mul(hn::LoadU(d, values + lanes), inverse);
  const auto q2 = hn::Mul(hn::LoadU(d, values + 2 * lanes), inverse), q3 = hn::Mul(hn::LoadU(d, values + 3 * lanes), inverse);
  const auto n0 = hn::Round(q0), n1 = hn::Round(q1), n2 = hn::Round(q2), n3 = hn::Round(q3);
  const auto off01 = hn::Max(hn::Abs(hn::Sub(q0, n0)), hn::Abs(hn::Sub(q1, n1)));
  const auto off23 = hn::Max(hn::Abs(hn::Sub(q2, n2)), hn::Abs(hn::Sub(q3, n3)));
  const auto sum = hn::Add(hn::Add(q0, q1), hn::Add(q2, q3));  // NaN where one is, which Max may lose
  const auto good = hn::And(hn::Lt(hn::Max(off01, off23), hn::Set(d, c.safe)), hn::Not(hn::IsNaN(sum)));
  if (HWY_UNLIKELY(!hn::AllTrue(d, good))) return false;
  const auto c0 = hn::Min(hn::Max(n0, low), high), c1 = hn::Min(hn::Max(n1, low), high);
  const auto c2 = hn::Min(hn::Max(n2, low), high), c3 = hn::Min(hn::Max(n3, low), high);
  hn::StoreU(hn::Mul(c0, scale), d, values);
  hn::StoreU(hn::Mul(c1, scale), d, values + lanes);
  hn::StoreU(hn::Mul(c2, scale), d, values + 2 * lanes);
  hn::StoreU(hn::Mul(c3, scale), d, values + 3 * lanes);
  if constexpr (kCodes) {
    const auto zero_point = hn::Set(di, c.zero_point);
    const std::size_t step = lanes * code_bytes;
    store_codes(di, hn::Add(hn::ConvertTo(di, c0), zero_point), codes, code_bytes);
    store_codes(di, hn::Add(hn::ConvertTo(di, c1), zero_point), codes + step, code_bytes);
    store_codes(di, hn::Add(hn::ConvertTo(di, c2), zero_point), codes + 2 * step, code_bytes);
    store_codes(di, hn::Add(hn::ConvertTo(di, c3), zero_point), codes + 3 * step, code_bytes);
  }
  beyond += hn::CountTrue(d, hn::Ne(c0, n0)) + hn::CountTrue(d, hn::Ne(c1, n1)) + hn::CountTrue(d, hn::Ne(c2, n2)) +
            hn::CountTrue(d, hn::Ne(c3, n3));
  return true;
}

/// All whole blocks; returns how many elements they are.
template <bool kCodes, class D>
std::size_t run_blocks(D d, float* values, std::size_t count, const Constants& c, std::uint8_t* codes, std::size_t code_bytes,
                       std::size_t& beyond) {
  const std::size_t lanes = hn::Lanes(d), block = kBlockVectors * lanes;
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
    std::uint8_t* const block_codes = kCodes ? codes + i * code_bytes : nullptr;
    if (quantize_block<kCodes>(d, values + i, c, block_codes, code_bytes, beyond)) continue;
    for (std::size_t k = 0; k < block; k += lanes) {
      beyond += quantize_vector(d, values + i + k, c, kCodes ? block_codes + k * code_bytes : nullptr, code_bytes);
    }
  }
  return i;
}

std::int64_t run(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  const auto zero_point = static_cast<float>(grid.zero_point);
  const float low = static_cast<float>(grid.low) - zero_point, high = static_cast<float>(grid.high) - zero_point;
  const float largest = 1.0F + HWY_MAX(high, -low);
  const float inverse = 1.0F / grid.scale;
  const bool divides = inverse > std::numeric_limits<float>::max();  // a scale whose inverse is no float
  const Constants constants{grid.scale, inverse, low, high, grid.zero_point, divides ? -1.0F : 0.49999F - largest * 0x1p-21F};
  const auto code_at = [&](std::size_t i) { return codes == nullptr ? nullptr : static_cast<std::uint8_t*>(codes) + i * code_bytes; };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t beyond = 0;
  std::size_t i = codes == nullptr ? run_blocks<false>(d, values, count, constants, nullptr, code_bytes, beyond)
                                   : run_blocks<true>(d, values, count, constants, code_at(0), code_bytes, beyond);
  for (; i + lanes <= count; i += lanes) beyond += quantize_vector(d, values + i, constants, code_at(i), code_bytes);
  for (; i < count; ++i) beyond += quantize_vector(single, values + i, constants, code_at(i), code_bytes);
  return static_cast<std::int64_t>(beyond);
}

}  // namespace visq::quant::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::quant {
VISQ_SIMD_COPIES(run);

std::int64_t fake_quantize_simd(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes) {
  return VISQ_SIMD(run)(values, count, grid, codes, code_bytes);
}

}  // namespace visq::quant
#endif
