// From element types at run time to C++ types.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/half.h"
#include "kernels/op.h"

namespace visq::kernels {

/// Every type whose elements have a fixed size and can be moved without being understood.
inline constexpr DTypes kMovable = {DType::kFloat32, DType::kFloat16, DType::kInt32,      DType::kUInt8,   DType::kInt64,   DType::kBool,
                                    DType::kInt16,   DType::kInt8,    DType::kComplex64,  DType::kUInt64,  DType::kFloat64, DType::kUInt32,
                                    DType::kUInt16,  DType::kInt4,    DType::kComplex128, DType::kBFloat16};
/// The same and strings.
inline constexpr DTypes kMovableOrString = {DType::kFloat32,  DType::kFloat16, DType::kInt32,  DType::kUInt8,     DType::kInt64,
                                            DType::kBool,     DType::kInt16,   DType::kInt8,   DType::kComplex64, DType::kUInt64,
                                            DType::kFloat64,  DType::kUInt32,  DType::kUInt16, DType::kInt4,      DType::kComplex128,
                                            DType::kBFloat16, DType::kString};

/// An element of a bool tensor. A file may hold any byte there; all but zero are true.
class Bool {
 public:
  Bool() = default;
  Bool(bool value) : byte_(value ? 1 : 0) {}    // NOLINT: a bool is a Bool
  operator bool() const { return byte_ != 0; }  // NOLINT

 private:
  std::uint8_t byte_ = 0;
};

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<Bool> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::kUInt8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::kUInt16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::kUInt32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::kUInt64;
};
template <>
struct DTypeOf<std::complex<float>> {
  static constexpr DType value = DType::kComplex64;
};
template <>
struct DTypeOf<std::complex<double>> {
  static constexpr DType value = DType::kComplex128;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::kBFloat16;
};
template <class T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

/// What a type is computed in: half precision in float32.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// A list of C++ types, and the element types they stand for.
template <class... Ts>
struct TypeList {
  static constexpr DTypes dtypes() { return {kDTypeOf<Ts>...}; }
};

/// Calls make(std::type_identity<T>()) for the type of the list that stands for `dtype`: a kernel, or an error.
template <class Make>
Result<std::unique_ptr<Kernel>> for_dtype(const PrepareContext& context, DType dtype, TypeList<>, Make&&) {
  return context.unsupported("cannot run with {}", name(dtype));
}
template <class T, class... Others, class Make>
Result<std::unique_ptr<Kernel>> for_dtype(const PrepareContext& context, DType dtype, TypeList<T, Others...>, Make&& make) {
  if (dtype == kDTypeOf<T>) return make(std::type_identity<T>());
  return for_dtype(context, dtype, TypeList<Others...>(), std::forward<Make>(make));
}

/// The same for the element type of input `slot`.
template <class Types, class Make>
Result<std::unique_ptr<Kernel>> for_type(const PrepareContext& context, int slot, Types types, Make&& make) {
  return for_dtype(context, context.input(slot).dtype, types, std::forward<Make>(make));
}

}  // namespace visq::kernels
