// CAST: between all numeric types. Integers wrap around; floats round towards zero, and become the nearest integer where they do not fit.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "core/as_size.h"
#include "kernels/element_types.h"

namespace visq::kernels::ops_cast {
namespace {

using Complex = std::complex<float>;

/// Rounds towards zero and saturates; NaN gives the largest.
template <class Integer>
Integer truncate(double x) {
  using Limits = std::numeric_limits<Integer>;
  if (!(x < std::ldexp(1.0, Limits::digits))) return Limits::max();
  return x <= static_cast<double>(Limits::lowest()) ? Limits::lowest() : static_cast<Integer>(x);
}

/// What holds every value of a type exactly. Each pair of types is a way into one of these and a way out of it: 14 and 3 x 14 loops in
/// place of 14 x 14.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t,
                                std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, Bool>, std::int64_t, double>>;

template <class From>
Wide<From> widened(From value) {
  if constexpr (std::is_same_v<From, Complex>)
    return value.real();
  else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>)
    return static_cast<float>(value);
  else
    return value;
}

template <class To, class From>
To narrowed(From value) {
  if constexpr (std::is_same_v<To, Bool>)
    return value != From{0};
  else if constexpr (std::is_same_v<To, Complex> || std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>)
    return To(static_cast<float>(value));
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return truncate<To>(value);
  else
    return static_cast<To>(value);
}

using Step = void (*)(const void* in, void* out, std::int64_t length);

template <class From>
void widen(const void* in, void* out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) static_cast<Wide<From>*>(out)[i] = widened(static_cast<const From*>(in)[i]);
}
template <class From, class To>
void narrow(const void* in, void* out, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) static_cast<To*>(out)[i] = narrowed<To>(static_cast<const From*>(in)[i]);
}

enum WideType : std::uint8_t { kWideFloat, kWideSigned, kWideUnsigned };

/// The ways of a type into its wide one, and out of all of them.
struct Ways {
  DType dtype;
  std::size_t size;
  WideType wide;
  Step into;
  Step out_of[3];
};
template <class T>
constexpr Ways ways() {
  constexpr WideType kWide = std::is_same_v<Wide<T>, double>         ? kWideFloat
                             : std::is_same_v<Wide<T>, std::int64_t> ? kWideSigned
                                                                     : kWideUnsigned;
  return {kDTypeOf<T>, sizeof(T), kWide, widen<T>, {narrow<double, T>, narrow<std::int64_t, T>, narrow<std::uint64_t, T>}};
}
constexpr Ways kWays[] = {ways<float>(),         ways<double>(),       ways<Half>(),          ways<BFloat16>(),      ways<Bool>(),
                          ways<std::int8_t>(),   ways<std::uint8_t>(), ways<std::int16_t>(),  ways<std::uint16_t>(), ways<std::int32_t>(),
                          ways<std::uint32_t>(), ways<std::int64_t>(), ways<std::uint64_t>(), ways<Complex>()};

const Ways* ways_of(DType dtype) {
  const auto found = std::find_if(std::begin(kWays), std::end(kWays), [&](const Ways& each) { return each.dtype == dtype; });
  return found == std::end(kWays) ? nullptr : found;
}

/// Both steps over stretches that stay in the nearest cache.
std::unique_ptr<Kernel> two_steps(const Ways& from, const Ways& to) {
  return make_kernel([&from, &to](EvalContext& eval) -> Status {
    constexpr std::int64_t kStretch = 512;
    std::array<std::uint64_t, kStretch> between;  // any wide type
    const std::int64_t elements = eval.input(0).elements();
    for (std::int64_t i = 0; i < elements; i += kStretch) {
      const std::int64_t length = std::min(kStretch, elements - i);
      from.into(eval.input(0).data + as_size(i) * from.size, between.data(), length);
      to.out_of[from.wide](between.data(), eval.output(0).data + as_size(i) * to.size, length);
    }
    return {};
  });
}

/// With both parts.
std::unique_ptr<Kernel> complex_copy() {
  return make_kernel([](EvalContext& eval) -> Status {
    const auto in = eval.in<Complex>(0);
    std::copy(in.begin(), in.end(), eval.out<Complex>(0).begin());
    return {};
  });
}

/// Types of less than a byte, each element of which takes one in memory.
constexpr DTypes kSmall = {DType::kInt4, DType::kInt2, DType::kUInt4};

std::unique_ptr<Kernel> narrowing_kernel(IntegerRange range) {
  return make_kernel([range](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(0);
    const auto out = eval.out<std::int8_t>(0);
    const auto narrow = [range](float x) { return std::clamp<std::int64_t>(truncate<std::int32_t>(x), range.low, range.high); };
    std::transform(in.begin(), in.end(), out.begin(), [&](float x) { return static_cast<std::int8_t>(narrow(x)); });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const DType from = kSmall.has(context.input(0).dtype) ? DType::kInt8 : context.input(0).dtype;
  const DType to = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, to, context.input(0).shape));
  if (kSmall.has(to) && from == DType::kFloat32) return narrowing_kernel(integer_range(to));
  if (from == DType::kComplex64 && to == from) return complex_copy();
  const Ways* const source = ways_of(from);
  const Ways* const target = ways_of(to);
  if (source == nullptr || target == nullptr) return context.unsupported("cannot run with {}", name(source == nullptr ? from : to));
  return two_steps(*source, *target);
}

constexpr OpDef kDefinitions[] = {{.name = "CAST",
                                   .prepare = prepare,
                                   .types = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kBool,
                                             DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kInt32, DType::kUInt32,
                                             DType::kInt64, DType::kUInt64, DType::kComplex64, DType::kInt4, DType::kInt2, DType::kUInt4},
                                   .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_cast
