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

/// The loop over one run of an operator, of whatever types: the walks below exist once for all of them.
class MapRun {
 public:
  virtual ~MapRun() = default;
  virtual void operator()(const std::byte* in, std::byte* out, std::int64_t length) const = 0;
};
class ZipRun {
 public:
  virtual ~ZipRun() = default;
  virtual void operator()(const std::byte* a, bool a_moves, const std::byte* b, bool b_moves, std::byte* out,
                          std::int64_t length) const = 0;
};

/// Element types of both sides; `vectors`: runs are so quick that short ones are worth being joined.
struct ElementTypes {
  DType out;
  std::size_t in_size, out_size;
  bool vectors = false;
};

Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, const ElementTypes& types, std::unique_ptr<const MapRun> run);
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, const ElementTypes& types, std::unique_ptr<const ZipRun> run);

/// Kernel of an operator with one input: the output has its shape.
template <class In, class Out, class Op>
Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, Op op) {
  class Run final : public MapRun {
   public:
    explicit Run(Op op) : op_(std::move(op)) {}
    void operator()(const std::byte* in, std::byte* out, std::int64_t length) const override {
      if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>) {
        map_floats(reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out), length, op_);
      } else {
        map_loop(reinterpret_cast<const In*>(in), reinterpret_cast<Out*>(out), length, op_);
      }
    }

   private:
    Op op_;
  };
  return map_kernel(context, ElementTypes{kDTypeOf<Out>, sizeof(In), sizeof(Out)}, std::make_unique<Run>(std::move(op)));
}

/// Kernel of an operator with two inputs of one type, which broadcast.
template <class In, class Out, class Op>
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, Op op) {
  constexpr bool kVectors = kZipsVectors<In, Out>;
  class Run final : public ZipRun {
   public:
    explicit Run(Op op) : op_(std::move(op)) {}
    void operator()(const std::byte* a, bool a_moves, const std::byte* b, bool b_moves, std::byte* out,
                    std::int64_t length) const override {
      const auto* const first = reinterpret_cast<const In*>(a);
      const auto* const second = reinterpret_cast<const In*>(b);
      if constexpr (kVectors) {
        zip_vectors(first, a_moves, second, b_moves, reinterpret_cast<Out*>(out), length, op_);
      } else {
        zip_loop(first, a_moves, second, b_moves, reinterpret_cast<Out*>(out), length, op_);
      }
    }

   private:
    Op op_;
  };
  return zip_kernel(context, ElementTypes{kDTypeOf<Out>, sizeof(In), sizeof(Out), kVectors}, std::make_unique<Run>(std::move(op)));
}

}  // namespace visq::kernels
