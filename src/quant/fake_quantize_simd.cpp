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

/// Float32 numbers of [1.5 * 2^23 - 2^22, 1.5 * 2^23 + 2^22] are integers whose low bits are those of their distance from 1.5 * 2^23.
constexpr float kIntegers = 12582912.0F;

/// The grid as float32: its range relative to the zero point.
struct Constants {
  float scale, inverse, low, high;
  std::int32_t zero_point;
  float safe, zero_integer, low_integer, high_integer;  ///< see quantize_block()
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

#if HWY_TARGET == HWY_SCALAR  // has no lanes to pack

template <bool kCodes, class D>
std::size_t run_blocks(D, float*, std::size_t, const Constants&, std::uint8_t*, std::size_t, std::size_t&) {
  return 0;
}

#else

constexpr std::size_t kBlockVectors = 4;

/// Stores the low bytes of four vectors of int32, one or two of each.
template <class DU>
HWY_INLINE void store_low_bytes(DU /*d*/, hn::Vec<DU> b0, hn::Vec<DU> b1, hn::Vec<DU> b2, hn::Vec<DU> b3, std::uint8_t* codes,
                                std::size_t code_bytes) {
  const hn::Repartition<std::uint16_t, DU> shorts;
  const auto s01 = hn::ConcatEven(shorts, hn::BitCast(shorts, b1), hn::BitCast(shorts, b0));
  const auto s23 = hn::ConcatEven(shorts, hn::BitCast(shorts, b3), hn::BitCast(shorts, b2));
  const hn::Repartition<std::uint8_t, DU> bytes;
  if (code_bytes == 1) {
    hn::StoreU(hn::ConcatEven(bytes, hn::BitCast(bytes, s23), hn::BitCast(bytes, s01)), bytes, codes);
  } else {
    hn::StoreU(hn::BitCast(bytes, s01), bytes, codes);
    hn::StoreU(hn::BitCast(bytes, s23), bytes, codes + hn::Lanes(bytes));
  }
}

/// kBlockVectors vectors the same way, without divisions: multiplying by the inverse is off by less than 2^-22 of the quotient, so that
/// rounding it to the nearest integer is right unless a tie is that near. Adding to kIntegers rounds, and leaves the code in the low bits.
/// False where there are such lanes, quotients too far off to be rounded so, or NaN; then nothing was done. Adds the number of lanes
/// beyond the range.
template <bool kCodes, class D>
HWY_INLINE bool quantize_block(D d, float* values, const Constants& c, std::uint8_t* codes, std::size_t code_bytes, std::size_t& beyond) {
  const std::size_t lanes = hn::Lanes(d);
  const auto inverse = hn::Set(d, c.inverse), zero = hn::Set(d, c.zero_integer), safe = hn::Set(d, c.safe);
  const auto v0 = hn::LoadU(d, values), v1 = hn::LoadU(d, values + lanes);
  const auto v2 = hn::LoadU(d, values + 2 * lanes), v3 = hn::LoadU(d, values + 3 * lanes);
  const auto n0 = hn::MulAdd(v0, inverse, zero), n1 = hn::MulAdd(v1, inverse, zero);
  const auto n2 = hn::MulAdd(v2, inverse, zero), n3 = hn::MulAdd(v3, inverse, zero);
  const auto off_ties = [&](hn::Vec<D> v, hn::Vec<D> n)
                            HWY_ATTR { return hn::Lt(hn::Abs(hn::MulSub(v, inverse, hn::Sub(n, zero))), safe); };
  const auto good = hn::And(hn::And(off_ties(v0, n0), off_ties(v1, n1)), hn::And(off_ties(v2, n2), off_ties(v3, n3)));
  if (HWY_UNLIKELY(!hn::AllTrue(d, good))) return false;
  const auto scale = hn::Set(d, c.scale), low = hn::Set(d, c.low_integer), high = hn::Set(d, c.high_integer);
  const auto c0 = hn::Min(hn::Max(n0, low), high), c1 = hn::Min(hn::Max(n1, low), high);
  const auto c2 = hn::Min(hn::Max(n2, low), high), c3 = hn::Min(hn::Max(n3, low), high);
  hn::StoreU(hn::Mul(hn::Sub(c0, zero), scale), d, values);
  hn::StoreU(hn::Mul(hn::Sub(c1, zero), scale), d, values + lanes);
  hn::StoreU(hn::Mul(hn::Sub(c2, zero), scale), d, values + 2 * lanes);
  hn::StoreU(hn::Mul(hn::Sub(c3, zero), scale), d, values + 3 * lanes);
  if constexpr (kCodes) {
    const hn::RebindToUnsigned<D> bits;
    store_low_bytes(bits, hn::BitCast(bits, c0), hn::BitCast(bits, c1), hn::BitCast(bits, c2), hn::BitCast(bits, c3), codes, code_bytes);
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

#endif

std::int64_t run(float* values, std::size_t count, const Grid& grid, void* codes, std::size_t code_bytes) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  const auto zero_point = static_cast<float>(grid.zero_point);
  const float low = static_cast<float>(grid.low) - zero_point, high = static_cast<float>(grid.high) - zero_point;
  const float largest = 1.0F + HWY_MAX(high, -low);
  const float inverse = 1.0F / grid.scale;
  const bool divides = inverse > std::numeric_limits<float>::max();  // a scale whose inverse is no float
  const Constants constants{grid.scale,
                            inverse,
                            low,
                            high,
                            grid.zero_point,
                            divides ? -1.0F : 0.49999F - largest * 0x1p-21F,
                            kIntegers + zero_point,
                            kIntegers + static_cast<float>(grid.low),
                            kIntegers + static_cast<float>(grid.high)};
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
