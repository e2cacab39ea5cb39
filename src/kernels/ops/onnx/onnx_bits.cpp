// ONNX operators on bits, and what bits say of floats: BitShift, BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, IsNaN, IsInf.
#include <cmath>

#include "kernels/elementwise/wide_numbers.h"

namespace visq::kernels::ops_onnx_bits {
namespace {

struct BitAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct BitNot {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};

/// Bits beyond the type's vanish; what is shifted further than it is wide, or by a negative number, loses all but its sign.
struct ShiftLeft {
  template <class T>
  T operator()(T value, T by) const {
    return static_cast<std::uint64_t>(by) > 63 ? T{0} : static_cast<T>(static_cast<std::uint64_t>(value) << by);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T value, T by) const {
    const int places = static_cast<std::uint64_t>(by) > 63 ? 63 : static_cast<int>(by);
    if (std::is_unsigned_v<T> && static_cast<std::uint64_t>(by) > 63) return T{0};
    return static_cast<T>(value >> places);
  }
};

struct IsNan {
  template <class T>
  Bool operator()(T value) const {
    return std::isnan(value);
  }
};
struct IsInfinite {
  bool positive, negative;
  template <class T>
  Bool operator()(T value) const {
    return std::isinf(value) && (value > 0 ? positive : negative);
  }
};

using WideReals = TypeList<float, double>;

template <class Op>
Result<std::unique_ptr<Kernel>> prepare_bits(PrepareContext& context) {
  return zip_numbers<WideIntegers>(context, Op());
}
Result<std::unique_ptr<Kernel>> prepare_bit_not(PrepareContext& context) { return map_numbers<WideIntegers>(context, BitNot()); }

Result<std::unique_ptr<Kernel>> prepare_shift(PrepareContext& context) {
  const auto direction = context.attributes().text("direction");
  if (direction == "LEFT") return zip_numbers<WideIntegers>(context, ShiftLeft());
  if (direction == "RIGHT") return zip_numbers<WideIntegers>(context, ShiftRight());
  return context.fail("direction is '{}', expected LEFT or RIGHT", direction);
}

Result<std::unique_ptr<Kernel>> prepare_is_nan(PrepareContext& context) { return map_numbers<WideReals>(context, IsNan()); }
Result<std::unique_ptr<Kernel>> prepare_is_inf(PrepareContext& context) {
  const auto detects = [&](std::string_view which) { return context.attributes().integer(which, 1) != 0; };
  return map_numbers<WideReals>(context, IsInfinite{detects("detect_positive"), detects("detect_negative")});
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.BitShift", .prepare = prepare_shift, .types = kIntegers},
    {.name = "ai.onnx.BitwiseAnd", .prepare = prepare_bits<BitAnd>, .types = kIntegers},
    {.name = "ai.onnx.BitwiseNot", .prepare = prepare_bit_not, .types = kIntegers, .pointwise = true},
    {.name = "ai.onnx.BitwiseOr", .prepare = prepare_bits<BitOr>, .types = kIntegers},
    {.name = "ai.onnx.BitwiseXor", .prepare = prepare_bits<BitXor>, .types = kIntegers},
    {.name = "ai.onnx.IsInf", .prepare = prepare_is_inf, .types = kRealNumbers, .pointwise = true},
    {.name = "ai.onnx.IsNaN", .prepare = prepare_is_nan, .types = kRealNumbers, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_bits
