// exp, log, tanh and their kin in float32 without branches or calls, so that a compiler can vectorise the loops around them.
// Each is within 1e-6 of the true value, relatively, wherever that is a normal number; NaN, infinities and zero go where the standard
// library's functions take them. Polynomials were fitted at Chebyshev nodes of the interval each is used on.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace visq::kernels {

/// a * b + c, rounded once: one instruction where there is one, and a slow call with the same result where there is none.
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/// A number split as n * ln 2 + r with |r| <= ln 2 / 2, and e^r - 1.
struct ReducedExp {
  std::uint32_t n = 0;  ///< two's complement
  float em1 = 0;        ///< e^r - 1
};

/// e^r - 1 for |r| <= ln 2 / 2.
inline float expm1_near_zero(float r) {
  float p = 1.98995872e-4F;
  p = fused(p, r, 1.39338835e-3F);
  p = fused(p, r, 8.33329811e-3F);
  p = fused(p, r, 4.16664628e-2F);
  p = fused(p, r, 1.66666667e-1F);
  p = fused(p, r, 0.5F);
  return fused(p, r * r, r);
}

/// `n` * ln 2 off x: ln 2 in two parts, the first exact in few bits.
inline float without_powers(float x, float n) { return fused(n, 2.12194440e-4F, fused(n, -0.693359375F, x)); }

constexpr float kExpRoundingBias = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer and leaves that in the low bits

inline std::uint32_t bits_behind_bias(float biased) {
  return std::bit_cast<std::uint32_t>(biased) - std::bit_cast<std::uint32_t>(kExpRoundingBias);
}

inline ReducedExp reduce_exp(float x) {
  const float biased = fused(x, 1.44269504F, kExpRoundingBias);
  return {bits_behind_bias(biased), expm1_near_zero(without_powers(x, biased - kExpRoundingBias))};
}

/// Of x + low, where low is what x lacks in precision.
inline ReducedExp reduce_exp(float x, float low) {
  const float biased = fused(x + low, 1.44269504F, kExpRoundingBias);
  return {bits_behind_bias(biased), expm1_near_zero(without_powers(x, biased - kExpRoundingBias) + low)};
}

/// 2^n for n in [-126, 127] as two's complement.
inline float power_of_two(std::uint32_t n) { return std::bit_cast<float>((n + 127U) << 23); }

inline float finish_exp(const ReducedExp& e) {
  const auto half = static_cast<std::uint32_t>(static_cast<std::int32_t>(e.n) >> 1);  // two factors: 2^n itself may not be a float
  return (e.em1 + 1.0F) * power_of_two(half) * power_of_two(e.n - half);
}

inline float exp_f32(float x) {
  const float raised = x < -104.0F ? -104.0F : x;  // NaN passes
  return finish_exp(reduce_exp(raised > 89.0F ? 89.0F : raised));
}

/// e^x - 1 for x <= 0; exact where x is tiny.
inline float expm1_nonpositive_f32(float x) {
  const float clamped = x < -30.0F ? -30.0F : x;
  const ReducedExp e = reduce_exp(clamped);
  const float scale = power_of_two(e.n);
  return e.em1 * scale + (scale - 1.0F);
}

/// e^x in double, so that it rounds to the float32 that a correctly rounded function gives (all but one in 10^5 of what is between two).
/// Relative error below 1e-12; x in [-104, 89].
inline double exp_f64(float x) {
  constexpr double kRoundingBias = 6755399441055744.0;  // 1.5 * 2^52, as in reduce_exp
  const double biased = static_cast<double>(x) * 1.4426950408889634 + kRoundingBias;
  const double n = biased - kRoundingBias;
  const double r = static_cast<double>(x) - n * 0.6931471805599453;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const std::uint64_t power = std::bit_cast<std::uint64_t>(biased) - std::bit_cast<std::uint64_t>(kRoundingBias);
  return p * std::bit_cast<double>((power + 1023) << 52);
}

inline float logistic_f32(float x) {
  constexpr float kFar = 87.0F;  // below, it is no normal number
  const float magnitude = std::fabs(x);
  const ReducedExp e = reduce_exp(magnitude > kFar ? -kFar : -magnitude);  // NaN passes
  const float power = (e.em1 + 1.0F) * power_of_two(e.n);
  const float result = (x < 0.0F ? power : 1.0F) / (1.0F + power);
  return x < -kFar ? 0.0F : result;
}

/// As LiteRT computes it, with an exponential as exact as the C library's: what is quantized behind it would else fall on the other side
/// of ties. Below -9 it is the exponential itself, 1.2e-4 of the value off at most.
inline float exact_logistic_f32(float x) {
  const float exponent = x < -9.0F ? x : -x;  // NaN passes
  const float raised = exponent < -104.0F ? -104.0F : exponent;
  const auto power = static_cast<float>(exp_f64(raised));
  return x < -9.0F ? power : 1.0F / (1.0F + power);
}

inline float tanh_f32(float x) {
  const float magnitude = std::fabs(x);
  const float outer = 1.0F - 2.0F / (exp_f32(2.0F * magnitude) + 1.0F);
  const float z = x * x;
  float p = 2.00616373e-3F;
  p = fused(p, z, -8.02957549e-3F);
  p = fused(p, z, 2.1643382e-2F);
  p = fused(p, z, -5.39373014e-2F);
  p = fused(p, z, 1.33331466e-1F);
  p = fused(p, z, -3.333333e-1F);
  const float inner = x * fused(z, p, 1.0F);
  return magnitude < 0.625F ? inner : std::copysign(outer, x);
}

/// x * Phi(x), Phi the normal distribution. The tail Q(a) = Phi(-a) is t * exp(-a^2 / 2 + p(t)) with t = 1 / (1 + 0.35 a), which keeps
/// its digits far below zero; a^2 is split so that its leading part is exact.
inline float gelu_f32(float x) {
  constexpr float kFar = 14.0F;  // beyond, the tail is no float
  const float magnitude = std::fabs(x);
  const float a = magnitude > kFar ? kFar : magnitude;
  const float t = 1.0F / (1.0F + 0.35F * a);
  float p = 0.148398469F;
  p = fused(p, t, -0.711778562F);
  p = fused(p, t, 1.25379671F);
  p = fused(p, t, -0.837915127F);
  p = fused(p, t, 0.0164693917F);
  p = fused(p, t, -0.0270018578F);
  p = fused(p, t, 0.0463526315F);
  p = fused(p, t, 0.388615649F);
  p = fused(p, t, 0.998607306F);
  p = fused(p, t, -1.96869175F);
  const float high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0xFFFFF000U);
  const float tail = t * finish_exp(reduce_exp(-0.5F * high * high, p - 0.5F * (a - high) * (a + high)));
  const float below = x < -kFar ? x * 0.0F : x * tail;  // NaN at -infinity, as in LiteRT
  return x >= 0.0F ? x * (1.0F - tail) : below;
}

inline float log_f32(float x) {
  constexpr float kSmallestNormal = std::numeric_limits<float>::min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool subnormal = x < kSmallestNormal;
  const float scaled = subnormal ? x * 8388608.0F : x;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
  constexpr std::uint32_t kSqrtHalf = 0x3F3504F3U;  // mantissas run from sqrt(1/2) to sqrt(2)
  const std::uint32_t shifted = bits - kSqrtHalf;
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23) - (subnormal ? 23.0F : 0.0F);
  const float f = std::bit_cast<float>((shifted & 0x007FFFFFU) + kSqrtHalf) - 1.0F;
  float p = 7.1497539e-2F;
  p = fused(p, f, -1.15712007e-1F);
  p = fused(p, f, 1.16615111e-1F);
  p = fused(p, f, -1.24110507e-1F);
  p = fused(p, f, 1.42499365e-1F);
  p = fused(p, f, -1.66684802e-1F);
  p = fused(p, f, 2.00007075e-1F);
  p = fused(p, f, -2.4999989e-1F);
  p = fused(p, f, 3.33333312e-1F);
  const float z = f * f;
  const float low = f * z * p - exponent * 2.12194440e-4F - 0.5F * z;
  float result = (low + f) + exponent * 0.693359375F;
  result = x == 0.0F ? -kInfinity : result;
  result = x == kInfinity ? kInfinity : result;
  return x >= 0.0F ? result : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace visq::kernels
