// Loops over one or two operands, element by element, for operators given as small function objects `Out operator()(In…) const`;
// half precision is widened for them and narrowed behind them.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/cpu_clones.h"
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"

namespace visq::kernels {

template <class In, class Out, class Op>
[[gnu::always_inline]] inline void map_loop(const In* __restrict in, Out* __restrict out, std::int64_t length, const Op& op) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<Out>(op(Computed<In>(in[i])));
}
template <class Op>
VISQ_CPU_CLONES void map_floats(const float* __restrict in, float* __restrict out, std::int64_t length, Op op) {
  map_loop(in, out, length, op);
}

/// Operands that step by 1 or stand still; not both stand still where length > 1.
template <class In, class Out, class Op>
[[gnu::always_inline]] inline void zip_loop(const In* __restrict a, bool a_moves, const In* __restrict b, bool b_moves, Out* __restrict out,
                                            std::int64_t length, const Op& op) {
  if (a_moves && b_moves) {
    for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<Out>(op(Computed<In>(a[i]), Computed<In>(b[i])));
  } else if (a_moves) {
    const auto fixed = Computed<In>(*b);
    for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<Out>(op(Computed<In>(a[i]), fixed));
  } else {
    const auto fixed = Computed<In>(*a);
    for (std::int64_t i = 0; i < length; ++i) out[i] = static_cast<Out>(op(fixed, Computed<In>(b[i])));
  }
}
template <class In, class Out, class Op>
VISQ_CPU_CLONES void zip_vectors(const In* __restrict a, bool a_moves, const In* __restrict b, bool b_moves, Out* __restrict out,
                                 std::int64_t length, Op op) {
  zip_loop(a, a_moves, b, b_moves, out, length, op);
}
/// Types whose operators mostly are arithmetic that vectors hold: float32, and stored integers.
template <class T>
constexpr bool kIsStored = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int16_t>;
template <class In, class Out>
constexpr bool kZipsVectors = (std::is_same_v<In, float> && std::is_same_v<Out, float>) || (kIsStored<In> && kIsStored<Out>);

/// The operand whose run repeats is laid out several times, so that one call does many runs.
template <class In, class Out, class Op>
void zip_repeated_runs(const Broadcast<2>& broadcast, const Broadcast<2>::RepeatedRuns& runs, EvalContext& eval, const Op& op) {
  constexpr std::int64_t kElements = 1024;  // of a call: little beside a cache, much beside what a call costs
  const std::int64_t at_once = std::min(runs.count, kElements / runs.length);
  auto* const laid_out = reinterpret_cast<In*>(eval.scratch(static_cast<std::size_t>(at_once * runs.length) * sizeof(In)));
  const std::size_t moves = 1 - runs.repeats;
  const In* const operands[] = {eval.in<In>(0).data(), eval.in<In>(1).data()};
  Out* const out = eval.out<Out>(0).data();
  broadcast.for_each_block(runs, [&](const auto& offsets, std::int64_t start) {
    for (std::int64_t i = 0; i < at_once; ++i)
      std::copy_n(operands[runs.repeats] + offsets[runs.repeats], runs.length, laid_out + i * runs.length);
    for (std::int64_t first = 0; first < runs.count; first += at_once) {
      const In* const moving = operands[moves] + offsets[moves] + first * runs.length;
      const In* const a = moves == 0 ? moving : laid_out;
      const In* const b = moves == 0 ? laid_out : moving;
      zip_vectors(a, true, b, true, out + start + first * runs.length, std::min(at_once, runs.count - first) * runs.length, op);
    }
  });
}

/// Kernel of an operator with one input: the output has its shape.
template <class In, class Out, class Op>
Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, Op op) {
  VISQ_TRY(context.set_output(0, kDTypeOf<Out>, context.input(0).shape));
  return make_kernel([op](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(0);
    const auto out = eval.out<Out>(0);
    const auto length = static_cast<std::int64_t>(in.size());
    if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>) {
      map_floats(in.data(), out.data(), length, op);
    } else {
      map_loop(in.data(), out.data(), length, op);
    }
    return {};
  });
}

/// Kernel of an operator with two inputs of one type, which broadcast.
template <class In, class Out, class Op>
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, Op op) {
  VISQ_TRY(context.expect_same_type(1, "the second input", 0));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, kDTypeOf<Out>));
  constexpr bool kVectors = kZipsVectors<In, Out>;
  const auto repeated = kVectors ? broadcast.repeated_runs() : std::nullopt;
  return make_kernel([broadcast = std::move(broadcast), repeated, op](EvalContext& eval) -> Status {
    if constexpr (kVectors) {
      if (repeated) {
        zip_repeated_runs<In, Out>(broadcast, *repeated, eval, op);
        return {};
      }
    }
    const In* a = eval.in<In>(0).data();
    const In* b = eval.in<In>(1).data();
    Out* out = eval.out<Out>(0).data();
    const bool a_moves = broadcast.steps()[0] != 0, b_moves = broadcast.steps()[1] != 0;
    broadcast.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
      if constexpr (kVectors) {
        zip_vectors(a + offsets[0], a_moves, b + offsets[1], b_moves, out + start, length, op);
      } else {
        zip_loop(a + offsets[0], a_moves, b + offsets[1], b_moves, out + start, length, op);
      }
    });
    return {};
  });
}

}  // namespace visq::kernels
