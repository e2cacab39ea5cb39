#include <algorithm>

#include "kernels/convolution/depthwise_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of vectors that GCC 12's own header leaves undefined
#include <immintrin.h>
#pragma GCC diagnostic pop
#define VISQ_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace visq::kernels::depthwise {

#ifdef VISQ_VNNI

namespace vnni_rows {
namespace {

constexpr std::int64_t kLanes = 16, kRows = 4, kBytes = 64;

VISQ_VNNI void interleave(const std::byte* const* rows, std::int64_t count, std::uint8_t flip, std::int32_t* target) {
  // Unpacking works within quarters of a vector: put there what shall come out in order.
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  const __m512i flips = _mm512_set1_epi8(static_cast<char>(flip));
  for (std::int64_t i = 0; i < count; i += kBytes) {
    const __mmask64 mask = count - i >= kBytes ? ~__mmask64{0} : (__mmask64{1} << (count - i)) - 1;
    __m512i r[kRows];
    for (std::int64_t k = 0; k < kRows; ++k) {
      r[k] = _mm512_permutexvar_epi32(order, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, rows[k] + i), flips));
    }
    const __m512i low01 = _mm512_unpacklo_epi8(r[0], r[1]), high01 = _mm512_unpackhi_epi8(r[0], r[1]);
    const __m512i low23 = _mm512_unpacklo_epi8(r[2], r[3]), high23 = _mm512_unpackhi_epi8(r[2], r[3]);
    _mm512_storeu_si512(target + i, _mm512_unpacklo_epi16(low01, low23));
    _mm512_storeu_si512(target + i + kLanes, _mm512_unpackhi_epi16(low01, low23));
    _mm512_storeu_si512(target + i + 2 * kLanes, _mm512_unpacklo_epi16(high01, high23));
    _mm512_storeu_si512(target + i + 3 * kLanes, _mm512_unpackhi_epi16(high01, high23));
  }
}

/// A vector of channels after the other, each along the row: its constants stay in registers.
/// kTaps is the number of taps where that is known to the compiler, or 0.
template <std::size_t kTaps>
VISQ_VNNI void multiply_row(const Steps& steps, const Packed& packed, backend::Clamp clamp, const std::int32_t* source, float* target) {
  const std::size_t taps = kTaps != 0 ? kTaps : packed.offsets.size();
  const std::int64_t in_step = steps.unit_in, out_step = steps.channels;
  const __m512 low = _mm512_set1_ps(clamp.low), high = _mm512_set1_ps(clamp.high);
  for (std::int64_t c = 0; c < steps.channels; c += kLanes) {
    const __m512i start = _mm512_loadu_si512(packed.start.data() + c);
    const __m512 bias = _mm512_loadu_ps(packed.bias.data() + c), scales = _mm512_loadu_ps(packed.scales.data() + c);
    const std::int32_t* const weights = packed.weights.data() + c;
    __m512i kept[kTaps != 0 ? kTaps : 1];
    for (std::size_t t = 0; t < kTaps; ++t) kept[t] = _mm512_loadu_si512(weights + static_cast<std::int64_t>(t) * packed.lanes);
    const std::int32_t* unit = source + c;
    float* to = target + c;
    for (std::int64_t u = 0; u < steps.units; ++u, unit += in_step, to += out_step) {
      __m512i sum = start;
      for (std::size_t t = 0; t < taps; ++t) {
        const __m512i tap =
            kTaps != 0 ? kept[kTaps != 0 ? t : 0] : _mm512_loadu_si512(weights + static_cast<std::int64_t>(t) * packed.lanes);
        sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(unit + packed.offsets[t]), tap);
      }
      const __m512 real = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(sum), bias), scales);
      const __m512 clamped = _mm512_min_ps(_mm512_max_ps(real, low), high);
      const std::int64_t left = std::min(steps.channels - c, steps.row - u * out_step - c);
      if (left >= kLanes) {
        _mm512_storeu_ps(to, clamped);
      } else {
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << left) - 1U), clamped);
      }
    }
  }
}

/// Windows of three and of five columns, with weights of int8 and beyond, have code of their own.
MultiplyRow* best_row(std::size_t taps) {
  switch (taps) {
    case 3:
      return multiply_row<3>;
    case 6:
      return multiply_row<6>;
    case 10:
      return multiply_row<10>;
    default:
      return multiply_row<0>;
  }
}

}  // namespace
}  // namespace vnni_rows

const Instructions* vnni() {
  static constexpr Instructions kVnni{vnni_rows::kLanes, vnni_rows::kRows, vnni_rows::kBytes, vnni_rows::interleave, vnni_rows::best_row};
  return &kVnni;
}

#else

const Instructions* vnni() { return nullptr; }

#endif

}  // namespace visq::kernels::depthwise
