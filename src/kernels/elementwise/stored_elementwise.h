// Elementwise operators on stored integers. What depends on one 8-bit operand alone is computed once for its 256 values and looked up.
#pragma once

#include <array>

#include "kernels/elementwise/elementwise.h"
#include "kernels/stored.h"

namespace visq::kernels {

using StoredBytes = TypeList<std::int8_t, std::uint8_t>;
using StoredSigned = TypeList<std::int8_t, std::int16_t>;
using StoredTypes = TypeList<std::int8_t, std::uint8_t, std::int16_t>;

/// A function of a stored integer of type T: as it is for int16, a table for 8-bit types.
template <class T, class Result, class Function>
class Tabulated {
 public:
  explicit Tabulated(const Function& function) : function_(function) {}
  Result operator()(T q) const { return static_cast<Result>(function_(q)); }

 private:
  Function function_;
};
template <class T, class Result, class Function>
requires(sizeof(T) == 1) class Tabulated<T, Result, Function> {
 public:
  explicit Tabulated(const Function& function) {
    for (int q = std::numeric_limits<T>::min(); q <= std::numeric_limits<T>::max(); ++q) {
      values_[static_cast<std::uint8_t>(q)] = static_cast<Result>(function(static_cast<T>(q)));
    }
  }
  Result operator()(T q) const { return values_[static_cast<std::uint8_t>(q)]; }

 private:
  std::array<Result, 256> values_;
};

/// Kernel of an operator with one stored input: the output has its type and shape.
template <class T, class Function>
Result<std::unique_ptr<Kernel>> stored_map(PrepareContext& context, const Function& function) {
  return map_kernel<T, T>(context, Tabulated<T, T, Function>(function));
}

/// Kernel of an operator with two stored inputs, which broadcast.
template <class In, class Out, class Function>
Result<std::unique_ptr<Kernel>> stored_zip(PrepareContext& context, const Function& function) {
  return zip_kernel<In, Out, true>(context, function);
}

/// (q - zero point) * 2^shift, multiplied: an operand on a finer grid. The shifted value must fit into int32.
struct OnFinerGrid {
  std::int32_t zero_point = 0;
  int shift = 0;
  Multiplier multiplier;
  std::int32_t operator()(std::int32_t q) const { return multiply((q - zero_point) * (1 << shift), multiplier); }
};
/// Fails in Eval where input `slot` of type T holds an integer below `lowest`; else runs `kernel`.
template <class T>
std::unique_ptr<Kernel> refusing_below(const PrepareContext& context, std::int32_t lowest, std::unique_ptr<Kernel> kernel) {
  return make_kernel([lowest, place = context.place(), inner = std::shared_ptr<Kernel>(std::move(kernel))](EvalContext& eval) -> Status {
    const auto in = eval.in<T>(0);
    const auto found = std::find_if(in.begin(), in.end(), [&](T q) { return q < lowest; });
    if (found != in.end()) return bad_input("{}: the input is negative, {} with the zero point {}", place, *found, lowest);
    return inner->eval(eval);
  });
}

}  // namespace visq::kernels
