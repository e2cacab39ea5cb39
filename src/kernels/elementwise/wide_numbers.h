// Numbers of any type by way of a wider one that holds them all: an operator then needs its loops for float, double, int64 and uint64 only.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/elementwise/elementwise.h"

namespace visq::kernels {

/// Every type of numbers.
inline constexpr DTypes kNumbers = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt8,  DType::kUInt8,
                                    DType::kInt16,   DType::kUInt16,  DType::kInt32,    DType::kUInt32,  DType::kInt64, DType::kUInt64};
inline constexpr DTypes kIntegers = {DType::kInt8,  DType::kUInt8,  DType::kInt16, DType::kUInt16,
                                     DType::kInt32, DType::kUInt32, DType::kInt64, DType::kUInt64};
inline constexpr DTypes kRealNumbers = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64};

/// The types that loops are needed for.
using WideTypes = TypeList<float, double, std::int64_t, std::uint64_t>;
using WideIntegers = TypeList<std::int64_t, std::uint64_t>;

/// What a type is computed in: half precision in float32, integers and bools in int64, float64 and uint64 as they are.
DType wide_type(DType type);
inline bool is_narrow(DType type) { return wide_type(type) != type; }

/// Into the wider type, and back: integers keep their lowest bits, numbers that are not 0 are true.
void widen_numbers(DType from, const std::byte* in, std::byte* out, std::int64_t count);
void narrow_numbers(DType to, const std::byte* in, std::byte* out, std::int64_t count);

/// A double as a wide type: integers round towards zero and saturate; NaN gives 0.
template <class T>
T nearest_number(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    using Limits = std::numeric_limits<T>;
    if (value >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    return value > static_cast<double>(Limits::lowest()) ? static_cast<T>(value) : value != value ? T{0} : Limits::lowest();
  }
}

/// The numbers of a tensor of kNumbers or bools, each as the nearest double; and back: integers round towards zero,
/// saturate as int64 or uint64 and keep their lowest bits.
std::vector<double> real_numbers(const Tensor& tensor);
void store_numbers(std::span<const double> numbers, Tensor& tensor);

/// A run over integers narrower than int64 (or bools) by one over int64, which gives that too, or bools where `makes_bools`; other runs as
/// they are: half precision is the loops' own matter.
std::unique_ptr<const MapRun> through_wide(DType in, bool makes_bools, std::unique_ptr<const MapRun> run);
std::unique_ptr<const ZipRun> through_wide(DType in, bool makes_bools, std::unique_ptr<const ZipRun> run);

/// Kernels of operators with one and two inputs, which broadcast, of any of kNumbers, or bools: `op` is called with numbers of a type of
/// Types and gives one of the same type, or a Bool.
template <class Types, class Op>
Result<std::unique_ptr<Kernel>> map_numbers(PrepareContext& context, const Op& op) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const DType in = context.input(0).dtype;
  return for_dtype(context, wide_type(in), Types(), [&]<class T>(std::type_identity<T>) {
    using Out = decltype(op(T()));
    constexpr bool kToBool = std::is_same_v<Out, Bool>;
    std::unique_ptr<const MapRun> run = std::make_unique<MapOf<T, Out, Op>>(op);
    return map_kernel(context, in, kToBool ? DType::kBool : in, through_wide(in, kToBool, std::move(run)));
  });
}
template <class Types, class Op>
Result<std::unique_ptr<Kernel>> zip_numbers(PrepareContext& context, const Op& op) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const DType in = context.input(0).dtype;
  return for_dtype(context, wide_type(in), Types(), [&]<class T>(std::type_identity<T>) {
    using Out = decltype(op(T(), T()));
    constexpr bool kToBool = std::is_same_v<Out, Bool>;
    std::unique_ptr<const ZipRun> run = std::make_unique<ZipOf<T, Out, false, Op>>(op);
    return zip_kernel(context, in, kToBool ? DType::kBool : in, through_wide(in, kToBool, std::move(run)));
  });
}

}  // namespace visq::kernels
