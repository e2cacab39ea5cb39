#include <algorithm>
#include <cstring>

#include "kernels/convolution/depthwise_rows.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define VISQ_AVX2 __attribute__((target("avx2")))
#endif

namespace visq::kernels::depthwise {

#ifdef VISQ_AVX2

namespace avx2_rows {
namespace {

constexpr std::int64_t kLanes = 8, kRows = 2, kBytes = 16;

/// Sixteen bytes as numbers of 16 bits; of the last ones of a row what is there.
VISQ_AVX2 __m256i widened(const std::byte* from, std::int64_t left, __m128i flips) {
  std::byte last[kBytes] = {};
  if (left < kBytes) from = static_cast<const std::byte*>(std::memcpy(last, from, static_cast<std::size_t>(left)));
  return _mm256_cvtepu8_epi16(_mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), flips));
}

VISQ_AVX2 void interleave(const std::byte* const* rows, std::int64_t count, std::uint8_t flip, std::int32_t* target) {
  const __m128i flips = _mm_set1_epi8(static_cast<char>(flip));
  for (std::int64_t i = 0; i < count; i += kBytes) {
    const __m256i a = widened(rows[0] + i, count - i, flips), b = widened(rows[1] + i, count - i, flips);
    const __m256i low = _mm256_unpacklo_epi16(a, b), high = _mm256_unpackhi_epi16(a, b);  // each within halves of a vector
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i), _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + i + kLanes), _mm256_permute2x128_si256(low, high, 0x31));
  }
}

VISQ_AVX2 __m256i load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

/// A vector of channels after the other, each along the row: its constants stay in registers.
/// kTaps is the number of taps where that is known to the compiler, or 0.
template <std::size_t kTaps>
VISQ_AVX2 void multiply_row(const Steps& steps, const Packed& packed, backend::Clamp clamp, const std::int32_t* source, float* target) {
  const std::size_t taps = kTaps != 0 ? kTaps : packed.offsets.size();
  const std::int64_t in_step = steps.unit_in, out_step = steps.channels;
  const __m256 low = _mm256_set1_ps(clamp.low), high = _mm256_set1_ps(clamp.high);
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::int64_t c = 0; c < steps.channels; c += kLanes) {
    const __m256i start = load(packed.start.data() + c);
    const __m256 bias = _mm256_loadu_ps(packed.bias.data() + c), scales = _mm256_loadu_ps(packed.scales.data() + c);
    const std::int32_t* const weights = packed.weights.data() + c;
    __m256i kept[kTaps != 0 ? kTaps : 1];
    for (std::size_t t = 0; t < kTaps; ++t) kept[t] = load(weights + static_cast<std::int64_t>(t) * packed.lanes);
    const std::int32_t* unit = source + c;
    float* to = target + c;
    for (std::int64_t u = 0; u < steps.units; ++u, unit += in_step, to += out_step) {
      __m256i sum = start;
      for (std::size_t t = 0; t < taps; ++t) {
        const __m256i tap = kTaps != 0 ? kept[kTaps != 0 ? t : 0] : load(weights + static_cast<std::int64_t>(t) * packed.lanes);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(load(unit + packed.offsets[t]), tap));
      }
      const __m256 real = _mm256_mul_ps(_mm256_add_ps(_mm256_cvtepi32_ps(sum), bias), scales);
      const __m256 clamped = _mm256_min_ps(_mm256_max_ps(real, low), high);
      const std::int64_t left = std::min(steps.channels - c, steps.row - u * out_step - c);
      if (left >= kLanes) {
        _mm256_storeu_ps(to, clamped);
      } else {
        _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(left)), numbers), clamped);
      }
    }
  }
}

/// A window of 3x3 is two pairs of rows in three columns.
MultiplyRow* best_row(std::size_t taps) { return taps == 6 ? multiply_row<6> : multiply_row<0>; }

}  // namespace
}  // namespace avx2_rows

const Instructions* avx2() {
  static constexpr Instructions kAvx2{avx2_rows::kLanes, avx2_rows::kRows, avx2_rows::kBytes, avx2_rows::interleave, avx2_rows::best_row};
  return &kAvx2;
}

#else

const Instructions* avx2() { return nullptr; }

#endif

}  // namespace visq::kernels::depthwise
