// Reducing a tensor over some of its axes: the loops; what is folded comes from the operator.
#pragma once

#include <algorithm>
#include <functional>

#include "core/cpu_clones.h"
#include "kernels/indexing/indexing.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Which axes are reduced, planned once.
class Reduction {
 public:
  /// Reads the axes (input 1, any order, repeated or negative) and the option keep_dims, and declares output 0.
  static Result<Reduction> plan(PrepareContext& context, DType output);

  /// Elements that are folded into each element of the output.
  std::int64_t folded() const { return folded_; }
  /// True where all axes are reduced.
  bool of_everything() const { return of_everything_; }

  /// totals[o] = fold over all inputs of output o, from fold.initial(), in row-major order.
  template <class In, class Fold>
  void run_in_order(const In* in, typename Fold::Total* totals, std::int64_t outputs, Fold fold) const {
    std::fill_n(totals, outputs, fold.initial());
    const std::int64_t length = loops_.run_length(), step = loops_.run_steps()[kOut];
    for_each_run([&](std::int64_t first, std::int64_t output) {
      typename Fold::Total* total = totals + output;
      for (std::int64_t i = 0; i < length; ++i, total += step) *total = fold(*total, in[first + i]);
    });
  }

  /// The same with parts of a run folded side by side, then merged. The order depends on the shape only.
  /// kClones: compiled for every instruction set; indices and conditions are not worth that.
  template <bool kClones, class In, class Fold>
  void run(const In* in, typename Fold::Total* totals, std::int64_t outputs, Fold fold) const {
    std::fill_n(totals, outputs, fold.initial());
    const std::int64_t length = loops_.run_length();
    const bool kept = loops_.run_steps()[kOut] != 0;
    for_each_run([&](std::int64_t first, std::int64_t output) {
      if constexpr (kClones) {
        fold_map(in + first, totals + output, length, kept, fold);
      } else {
        kept ? fold_rows(in + first, totals + output, length, fold) : fold_run(in + first, totals + output, length, fold);
      }
    });
  }

 private:
  enum Operand : std::size_t { kIn, kOut };

  /// The walk, once for all types: calls body(first input element, its output).
  void for_each_run(const std::function<void(std::int64_t, std::int64_t)>& body) const;

  /// A run whose elements belong to different outputs.
  template <class In, class Fold>
  [[gnu::always_inline]] static inline void fold_rows(const In* __restrict in, typename Fold::Total* __restrict totals, std::int64_t length,
                                                      const Fold& fold) {
    for (std::int64_t i = 0; i < length; ++i) totals[i] = fold(totals[i], in[i]);
  }
  /// A run that belongs to one output: several totals side by side, which vectorise and do not wait for each other.
  template <class In, class Fold>
  [[gnu::always_inline]] static inline void fold_run(const In* __restrict in, typename Fold::Total* total, std::int64_t length,
                                                     const Fold& fold) {
    constexpr std::int64_t kLanes = 8;
    typename Fold::Total lanes[kLanes];
    std::fill_n(lanes, kLanes, fold.initial());
    std::int64_t i = 0;
    for (; i + kLanes <= length; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = fold(lanes[lane], in[i + lane]);
    }
    for (std::int64_t lane = 0; i < length; ++i, ++lane) lanes[lane] = fold(lanes[lane], in[i]);
    for (const auto& lane : lanes) *total = fold.merge(*total, lane);
  }

  template <class In, class Fold>
  VISQ_CPU_CLONES static void fold_map(const In* __restrict in, typename Fold::Total* __restrict totals, std::int64_t length, bool kept,
                                       Fold fold) {
    kept ? fold_rows(in, totals, length, fold) : fold_run(in, totals, length, fold);
  }

  Loops<2> loops_;
  std::int64_t folded_ = 1;
  bool of_everything_ = true;
};

}  // namespace visq::kernels
