// Vector part of the fused pass (Highway, run-time dispatch).
//
// Rounding: a lane adds at most kRunVectors float32 numbers one after the other (below 4e-7 relative, even where all terms are alike),
// a block's runs are added pairwise (below 2e-7), and its lanes are folded once more before they enter double accumulators: together with
// the rounding of the terms themselves below 1e-6. A block is handed over to exact arithmetic where a square overflowed (or an element is
// not finite), or where squares may have lost bits below float32's normal range.

#include <array>
#include <limits>

#include "core/simd.h"
#include "metrics/pair_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metrics/pair_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace visq::metrics::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Without vectors there is nothing to gain over exact arithmetic.
void add_pairs_vector(const PairStretch& pairs, const ExactPart& exact, PairStats&) {
  if (pairs.count > 0) exact(0, pairs.count);
}
#else
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

constexpr std::size_t kRunVectors = 16;
constexpr int kBlockLevels = 3;  // of pairwise addition
constexpr std::size_t kBlockVectors = kRunVectors << kBlockLevels;
/// A lane's sum of squares below this may have lost more than 4e-7 of itself to underflow (128 terms, each off by less than 1.2e-38).
constexpr float kSafeSquares = 4e-30F;

/// sum + value; as a fused multiply-add where there is one, since adders are what this loop is short of.
HWY_INLINE Vector plus(Vector sum, Vector value) {
#if defined(HWY_NATIVE_FMA)
  return hn::MulAdd(value, hn::Set(Floats(), 1.0F), sum);
#else
  return hn::Add(sum, value);
#endif
}

/// Double accumulators of one sum.
struct LaneSums {
  HWY_ALIGN std::array<double, hn::MaxLanes(Floats())> lane{};

  HWY_INLINE void add(Vector values) {
    const hn::Half<Floats> half;
    const hn::Repartition<double, Floats> doubles;
    const auto folded = hn::Add(hn::LowerHalf(half, values), hn::UpperHalf(half, values));
    hn::Store(hn::Add(hn::Load(doubles, lane.data()), hn::PromoteTo(doubles, folded)), doubles, lane.data());
  }
  double total() const {
    double sum = 0;
    for (const double value : lane) sum += value;
    return sum;
  }
};

/// Float sums of a run.
template <bool kScaled>
struct RunSums {
  Vector f, q, abs_f, ff, qq, fq, abs_d, dd, dd_outside, scaled;

  // Factories, not constructors: an implicit constructor that called one would not be compiled for this instruction set.
  static HWY_INLINE RunSums zero() {
    const Vector v = hn::Zero(Floats());
    return {v, v, v, v, v, v, v, v, v, v};
  }

  HWY_INLINE void add(const RunSums& other) {
    f = hn::Add(f, other.f);
    q = hn::Add(q, other.q);
    abs_f = hn::Add(abs_f, other.abs_f);
    ff = hn::Add(ff, other.ff);
    qq = hn::Add(qq, other.qq);
    fq = hn::Add(fq, other.fq);
    abs_d = hn::Add(abs_d, other.abs_d);
    dd = hn::Add(dd, other.dd);
    dd_outside = hn::Add(dd_outside, other.dd_outside);
    if constexpr (kScaled) scaled = hn::Add(scaled, other.scaled);
  }
};

/// Extremes of a block, or of everything.
struct Extremes {
  Vector min_f, max_f, min_q, max_q, abs_d, scaled;

  static HWY_INLINE Extremes none() {
    const Vector zero = hn::Zero(Floats()), infinity = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    return {infinity, hn::Neg(infinity), infinity, hn::Neg(infinity), zero, zero};
  }

  HWY_INLINE void add(const Extremes& other) {
    min_f = hn::Min(min_f, other.min_f);
    max_f = hn::Max(max_f, other.max_f);
    min_q = hn::Min(min_q, other.min_q);
    max_q = hn::Max(max_q, other.max_q);
    abs_d = hn::Max(abs_d, other.abs_d);
    scaled = hn::Max(scaled, other.scaled);
  }
};

/// The larger of two numbers that are not negative, compared as integers: adders are what this loop is short of. NaN is the largest.
HWY_INLINE Vector larger(Vector a, Vector b) {
  const hn::RebindToSigned<Floats> bits;
  return hn::BitCast(Floats(), hn::Max(hn::BitCast(bits, a), hn::BitCast(bits, b)));
}

/// Sum of squares of a run's differences where f lies outside the range: a second look, while the run is in the cache.
HWY_INLINE Vector sum_outside(const float* HWY_RESTRICT pf, const float* HWY_RESTRICT pq, std::size_t count, Vector low, Vector high) {
  const Floats d;
  Vector sum = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vector f = hn::LoadU(d, pf + i), diff = hn::Sub(f, hn::LoadU(d, pq + i));
    sum = hn::MulAdd(diff, hn::IfThenElseZero(hn::Or(hn::Lt(f, low), hn::Gt(f, high)), diff), sum);
  }
  return sum;
}

/// The inner loop.
template <bool kScaled>
HWY_INLINE RunSums<kScaled> sum_run(const PairStretch& run, Extremes& extremes) {
  const Floats d;
  const float* const HWY_RESTRICT pf = run.f;
  const float* const HWY_RESTRICT pq = run.q;
  RunSums<kScaled> s = RunSums<kScaled>::zero();
  Extremes e = extremes;
  e.min_f = e.max_f = hn::LoadU(d, pf);
  for (std::size_t i = 0; i < run.count; i += hn::Lanes(d)) {
    const Vector f = hn::LoadU(d, pf + i), q = hn::LoadU(d, pq + i);
    const Vector diff = hn::Sub(f, q), abs_diff = hn::Abs(diff);
    s.f = plus(s.f, f);
    s.q = plus(s.q, q);
    s.abs_f = plus(s.abs_f, hn::Abs(f));
    s.ff = hn::MulAdd(f, f, s.ff);
    s.qq = hn::MulAdd(q, q, s.qq);
    s.fq = hn::MulAdd(f, q, s.fq);
    s.abs_d = hn::Add(s.abs_d, abs_diff);
    s.dd = hn::MulAdd(diff, diff, s.dd);
    e.abs_d = larger(e.abs_d, abs_diff);
    e.min_f = hn::Min(e.min_f, f);
    e.max_f = hn::Max(e.max_f, f);
    e.min_q = hn::Min(e.min_q, q);
    e.max_q = hn::Max(e.max_q, q);
    if constexpr (kScaled) {
      const Vector steps = hn::Mul(abs_diff, hn::LoadU(d, run.inverse_scale + i));
      s.scaled = hn::MulAdd(steps, steps, s.scaled);
      e.scaled = larger(e.scaled, steps);
    }
  }
  const Vector low = hn::Set(d, run.low), high = hn::Set(d, run.high);
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Or(hn::Lt(e.min_f, low), hn::Gt(e.max_f, high))))) {
    s.dd_outside = sum_outside(pf, pq, run.count, low, high);
  }
  e.min_f = hn::Min(e.min_f, extremes.min_f);
  e.max_f = hn::Max(e.max_f, extremes.max_f);
  extremes = e;
  return s;
}

/// `count` pairs from `first` on.
HWY_INLINE PairStretch part(const PairStretch& pairs, std::size_t first, std::size_t count) {
  const float* const inverse = pairs.inverse_scale == nullptr ? nullptr : pairs.inverse_scale + first;
  return {pairs.f + first, pairs.q + first, inverse, count, pairs.low, pairs.high};
}

/// The sums of 2^kLevels runs, or of what there is of them, added pairwise: rounding grows with the levels only.
template <bool kScaled, int kLevels>
HWY_INLINE RunSums<kScaled> sum_runs(const PairStretch& pairs, Extremes& extremes) {
  if constexpr (kLevels == 0) {
    return sum_run<kScaled>(pairs, extremes);
  } else {
    const std::size_t half = HWY_MIN(pairs.count, (kRunVectors << (kLevels - 1)) * hn::Lanes(Floats()));
    RunSums<kScaled> sums = sum_runs<kScaled, kLevels - 1>(part(pairs, 0, half), extremes);
    if (half == pairs.count) return sums;
    sums.add(sum_runs<kScaled, kLevels - 1>(part(pairs, half, pairs.count - half), extremes));
    return sums;
  }
}

/// True in lanes whose sum of squares may have lost bits to underflow.
HWY_INLINE hn::Mask<Floats> lost_bits(Vector squares, Vector largest) {
  const Floats d;
  return hn::And(hn::Lt(squares, hn::Set(d, kSafeSquares)), hn::Gt(largest, hn::Zero(d)));
}

/// False where a sum overflowed, an element is not finite, or squares may have lost bits.
template <bool kScaled>
HWY_INLINE bool trustworthy(const RunSums<kScaled>& s, const Extremes& e) {
  const Floats d;
  Vector squares = hn::Add(hn::Add(s.ff, s.qq), s.dd);  // NaN and infinity of any term survive in the sum
  auto lost = hn::Or(lost_bits(s.dd, e.abs_d),
                     hn::Or(lost_bits(s.ff, hn::Max(e.max_f, hn::Neg(e.min_f))), lost_bits(s.qq, hn::Max(e.max_q, hn::Neg(e.min_q)))));
  if constexpr (kScaled) {
    squares = hn::Add(squares, s.scaled);
    lost = hn::Or(lost, lost_bits(s.scaled, e.abs_d));
  }
  return hn::AllTrue(d, hn::AndNot(lost, hn::Le(squares, hn::Set(d, std::numeric_limits<float>::max()))));
}

/// Everything that is summed over the whole stretch.
template <bool kScaled>
struct Totals {
  LaneSums f, q, abs_f, ff, qq, fq, abs_d, dd, dd_outside, scaled;
  Extremes extremes;

  /// Adds up to kBlockVectors vectors; false where the block needs exact arithmetic, and then nothing was added.
  HWY_INLINE bool add_block(const PairStretch& block) {
    Extremes e = Extremes::none();
    const RunSums<kScaled> s = sum_runs<kScaled, kBlockLevels>(block, e);
    if (!trustworthy(s, e)) return false;
    extremes.add(e);
    f.add(s.f);
    q.add(s.q);
    abs_f.add(s.abs_f);
    ff.add(s.ff);
    qq.add(s.qq);
    fq.add(s.fq);
    abs_d.add(s.abs_d);
    dd.add(s.dd);
    dd_outside.add(s.dd_outside);
    if constexpr (kScaled) scaled.add(s.scaled);
    return true;
  }

  void add_to(PairStats& stats) const {
    const Floats d;
    const auto low = [&](Vector v) { return static_cast<double>(hn::GetLane(hn::MinOfLanes(d, v))); };
    const auto high = [&](Vector v) { return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, v))); };
    stats.sum_f += f.total();
    stats.sum_q += q.total();
    stats.sum_abs_f += abs_f.total();
    stats.sum_ff += ff.total();
    stats.sum_qq += qq.total();
    stats.sum_fq += fq.total();
    stats.sum_abs_d += abs_d.total();
    stats.sum_dd += dd.total();
    stats.sum_dd_outside += dd_outside.total();
    stats.sum_dd_scaled += scaled.total();
    stats.max_abs_d = HWY_MAX(stats.max_abs_d, high(extremes.abs_d));
    stats.max_abs_d_scaled = HWY_MAX(stats.max_abs_d_scaled, high(extremes.scaled));
    stats.min_f = HWY_MIN(stats.min_f, low(extremes.min_f));
    stats.max_f = HWY_MAX(stats.max_f, high(extremes.max_f));
    stats.min_q = HWY_MIN(stats.min_q, low(extremes.min_q));
    stats.max_q = HWY_MAX(stats.max_q, high(extremes.max_q));
  }
};

template <bool kScaled>
void add_stretch(const PairStretch& pairs, const ExactPart& exact, PairStats& stats) {
  const std::size_t lanes = hn::Lanes(Floats());
  const std::size_t whole = pairs.count - pairs.count % lanes;
  if (whole > 0) {
    Totals<kScaled> totals;
    totals.extremes = Extremes::none();
    for (std::size_t i = 0, block = 0; i < whole; i += block) {
      block = HWY_MIN(kBlockVectors * lanes, whole - i);
      if (!totals.add_block(part(pairs, i, block))) exact(i, block);
    }
    totals.add_to(stats);
  }
  if (whole < pairs.count) exact(whole, pairs.count - whole);
}

void add_pairs_vector(const PairStretch& pairs, const ExactPart& exact, PairStats& stats) {
  if (pairs.inverse_scale != nullptr) {
    add_stretch<true>(pairs, exact, stats);
  } else {
    add_stretch<false>(pairs, exact, stats);
  }
}
#endif

}  // namespace visq::metrics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::metrics {

VISQ_SIMD_COPIES(add_pairs_vector);

void add_pairs(const PairStretch& pairs, const ExactPart& exact, PairStats& stats) { VISQ_SIMD(add_pairs_vector)(pairs, exact, stats); }

}  // namespace visq::metrics
#endif
