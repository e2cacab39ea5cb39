// Loops over one or two operands, element by element, for operators given as small function objects `Out operator()(In…) const`;
// half precision is widened for them and narrowed behind them.
#pragma once

#include <type_traits>

#include "core/cpu_clones.h"
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"

namespace visq::kernels {

/// The loop over one run of an operator, of whatever types: the walks exist once for all of them, and so does the way of half precision
/// into float32 and back.
class MapRun {
 public:
  virtual ~MapRun() = default;
  virtual void operator()(const std::byte* in, std::byte* out, std::int64_t length) const = 0;
};
/// Operands that stand still in a run are laid out for it, so that both move.
class ZipRun {
 public:
  virtual ~ZipRun() = default;
  virtual void operator()(const std::byte* a, const std::byte* b, std::byte* out, std::int64_t length) const = 0;
};

/// `In`, `out` are the tensors' types; for half precision `run` takes, and gives, float32.
Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const MapRun> run);
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, DType in, DType out, std::unique_ptr<const ZipRun> run);

/// The same run for half precision, where `in` is that; it takes, and gives, float32.
std::unique_ptr<const MapRun> half_too(DType in, DType out, std::unique_ptr<const MapRun> run);
std::unique_ptr<const ZipRun> half_too(DType in, DType out, std::unique_ptr<const ZipRun> run);

template <class In, class Out>
constexpr bool kOfFloats = std::conjunction_v<std::is_same<Computed<In>, float>, std::is_same<Computed<Out>, float>>;

template <class In, class Out, class Op>
[[gnu::always_inline]] inline void map_loop(const In* __restrict in, Out* __restrict out, std::int64_t length, const Op& op) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = op(in[i]);
}
template <class Op>
VISQ_CPU_CLONES void map_floats(const float* __restrict in, float* __restrict out, std::int64_t length, Op op) {
  map_loop(in, out, length, op);
}
template <class In, class Out, class Op>
[[gnu::always_inline]] inline void zip_loop(const In* __restrict a, const In* __restrict b, Out* __restrict out, std::int64_t length,
                                            const Op& op) {
  for (std::int64_t i = 0; i < length; ++i) out[i] = op(a[i], b[i]);
}
template <class In, class Out, class Op>
VISQ_CPU_CLONES void zip_vectors(const In* __restrict a, const In* __restrict b, Out* __restrict out, std::int64_t length, Op op) {
  zip_loop(a, b, out, length, op);
}

template <class In, class Out, class Op>
class MapOf final : public MapRun {
 public:
  explicit MapOf(Op op) : op_(std::move(op)) {}
  void operator()(const std::byte* in, std::byte* out, std::int64_t length) const override {
    const auto* const from = reinterpret_cast<const In*>(in);
    auto* const to = reinterpret_cast<Out*>(out);
    if constexpr (kOfFloats<In, Out>) {
      map_floats(from, to, length, op_);
    } else {
      map_loop(from, to, length, op_);
    }
  }

 private:
  Op op_;
};

/// kForEveryCpu: compiled for every instruction set, which pays where an operator is common and arithmetic that vectors hold.
template <class In, class Out, bool kForEveryCpu, class Op>
class ZipOf final : public ZipRun {
 public:
  explicit ZipOf(Op op) : op_(std::move(op)) {}
  void operator()(const std::byte* a, const std::byte* b, std::byte* out, std::int64_t length) const override {
    const auto* const first = reinterpret_cast<const In*>(a);
    const auto* const second = reinterpret_cast<const In*>(b);
    auto* const to = reinterpret_cast<Out*>(out);
    if constexpr (kForEveryCpu) {
      zip_vectors(first, second, to, length, op_);
    } else {
      zip_loop(first, second, to, length, op_);
    }
  }

 private:
  Op op_;
};

/// A run for each type that an operator takes, where the operator has nothing to remember.
struct MapChoice {
  DType in, out;
  std::unique_ptr<const MapRun> (*make)();
};
struct ZipChoice {
  DType in, out;
  std::unique_ptr<const ZipRun> (*make)();
};
template <class In, class Out, class Op>
constexpr MapChoice map_choice() {
  return {kDTypeOf<In>, kDTypeOf<Out>,
          []() -> std::unique_ptr<const MapRun> { return std::make_unique<MapOf<Computed<In>, Computed<Out>, Op>>(Op()); }};
}
template <class In, class Out, class Op>
constexpr ZipChoice zip_choice() {
  return {kDTypeOf<In>, kDTypeOf<Out>, []() -> std::unique_ptr<const ZipRun> {
            return std::make_unique<ZipOf<Computed<In>, Computed<Out>, kOfFloats<In, Out>, Op>>(Op());
          }};
}
/// Kernels of operators with exactly one, and two, inputs and one output, by the type of input 0.
Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, std::span<const MapChoice> choices);
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, std::span<const ZipChoice> choices);

/// Kernel of an operator with one input: the output has its shape.
template <class In, class Out, class Op>
Result<std::unique_ptr<Kernel>> map_kernel(PrepareContext& context, Op op) {
  return map_kernel(context, kDTypeOf<In>, kDTypeOf<Out>, std::make_unique<MapOf<Computed<In>, Computed<Out>, Op>>(std::move(op)));
}

/// Kernel of an operator with two inputs of one type, which broadcast.
template <class In, class Out, bool kForEveryCpu = kOfFloats<In, Out>, class Op>
Result<std::unique_ptr<Kernel>> zip_kernel(PrepareContext& context, Op op) {
  return zip_kernel(context, kDTypeOf<In>, kDTypeOf<Out>,
                    std::make_unique<ZipOf<Computed<In>, Computed<Out>, kForEveryCpu, Op>>(std::move(op)));
}

}  // namespace visq::kernels
