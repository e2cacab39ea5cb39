#include <cstring>

#include "core/as_size.h"
#include "kernels/convolution/depthwise_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define VISQ_ROWS __attribute__((target("avx2")))
#include "kernels/convolution/depthwise_loop.h"
#endif

namespace visq::kernels::depthwise {

#ifdef VISQ_ROWS

namespace {

constexpr std::int64_t kRows = 2, kBytes = 16;

/// Sixteen bytes as numbers of 16 bits; of the last ones of a row what is there.
VISQ_ROWS __m256i widened(const std::byte* from, std::int64_t left, __m128i flips) {
  std::byte last[kBytes] = {};
  if (left < kBytes) from = static_cast<const std::byte*>(std::memcpy(last, from, as_size(left)));
  return _mm256_cvtepu8_epi16(_mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), flips));
}

VISQ_ROWS void interleave(const std::byte* const* rows, std::int64_t count, std::uint8_t flip, std::int32_t* target) {
  const __m128i flips = _mm_set1_epi8(static_cast<char>(flip));
  for (std::int64_t i = 0; i < count; i += kBytes) {
    const __m256i a = widened(rows[0] + i, count - i, flips), b = widened(rows[1] + i, count - i, flips);
    const __m256i low = _mm256_unpacklo_epi16(a, b), high = _mm256_unpackhi_epi16(a, b);  // each within halves of a vector
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i), _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i + kBytes / 2), _mm256_permute2x128_si256(low, high, 0x31));
  }
}

/// What the loop is made of.
struct Vectors {
  using Ints = __m256i;
  using Floats = __m256;
  static constexpr std::int64_t kLanes = 8;

  VISQ_ROWS static Ints load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  VISQ_ROWS static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  VISQ_ROWS static Floats filled(float value) { return _mm256_set1_ps(value); }
  VISQ_ROWS static Ints add_products(Ints sum, Ints codes, Ints weights) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(codes, weights));
  }
  VISQ_ROWS static Floats finished(Ints sum, Floats bias, Floats scales, Floats low, Floats high) {
    const Floats real = _mm256_mul_ps(_mm256_add_ps(_mm256_cvtepi32_ps(sum), bias), scales);
    return _mm256_min_ps(_mm256_max_ps(real, low), high);
  }
  VISQ_ROWS static void store(float* to, Floats values) { _mm256_storeu_ps(to, values); }
  VISQ_ROWS static void store_first(float* to, Floats values, std::int64_t count) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), numbers), values);
  }
};

/// A window of 3x3 is two pairs of rows in three columns.
MultiplyRow* best_row(std::size_t taps) { return taps == 6 ? multiply_row<Vectors, 6> : multiply_row<Vectors, 0>; }

}  // namespace

const Instructions* avx2() {
  static constexpr Instructions kAvx2{Vectors::kLanes, kRows, kBytes, interleave, best_row};
  return &kAvx2;
}

#else

const Instructions* avx2() { return nullptr; }

#endif

}  // namespace visq::kernels::depthwise
