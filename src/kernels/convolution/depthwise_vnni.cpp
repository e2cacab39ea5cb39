#include "kernels/convolution/depthwise_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of vectors that GCC 12's own header leaves undefined
#include <immintrin.h>
#pragma GCC diagnostic pop
#define VISQ_ROWS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#include "kernels/convolution/depthwise_loop.h"
#endif

namespace visq::kernels::depthwise {

#ifdef VISQ_ROWS

namespace {

constexpr std::int64_t kRows = 4, kBytes = 64;

VISQ_ROWS void interleave(const std::byte* const* rows, std::int64_t count, std::uint8_t flip, std::int32_t* target) {
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
    _mm512_storeu_si512(target + i + kBytes / 4, _mm512_unpackhi_epi16(low01, low23));
    _mm512_storeu_si512(target + i + kBytes / 2, _mm512_unpacklo_epi16(high01, high23));
    _mm512_storeu_si512(target + i + kBytes / 4 * 3, _mm512_unpackhi_epi16(high01, high23));
  }
}

/// What the loop is made of.
struct Vectors {
  using Ints = __m512i;
  using Floats = __m512;
  static constexpr std::int64_t kLanes = 16;

  VISQ_ROWS static Ints load(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  VISQ_ROWS static Floats load(const float* from) { return _mm512_loadu_ps(from); }
  VISQ_ROWS static Floats filled(float value) { return _mm512_set1_ps(value); }
  VISQ_ROWS static Ints add_products(Ints sum, Ints codes, Ints weights) { return _mm512_dpbusd_epi32(sum, codes, weights); }
  VISQ_ROWS static Floats finished(Ints sum, Floats bias, Floats scales, Floats low, Floats high) {
    const Floats real = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(sum), bias), scales);
    return _mm512_min_ps(_mm512_max_ps(real, low), high);
  }
  VISQ_ROWS static void store(float* to, Floats values) { _mm512_storeu_ps(to, values); }
  VISQ_ROWS static void store_first(float* to, Floats values, std::int64_t count) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), values);
  }
};

/// Windows of three and of five columns, with weights of int8 and beyond, have code of their own.
MultiplyRow* best_row(std::size_t taps) {
  switch (taps) {
    case 3:
      return multiply_row<Vectors, 3>;
    case 6:
      return multiply_row<Vectors, 6>;
    case 10:
      return multiply_row<Vectors, 10>;
    default:
      return multiply_row<Vectors, 0>;
  }
}

}  // namespace

const Instructions* vnni() {
  static constexpr Instructions kVnni{Vectors::kLanes, kRows, kBytes, interleave, best_row};
  return &kVnni;
}

#else

const Instructions* vnni() { return nullptr; }

#endif

}  // namespace visq::kernels::depthwise
