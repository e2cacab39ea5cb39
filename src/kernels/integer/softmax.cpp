// SOFTMAX, LOG_SOFTMAX on stored integers: each row (last axis) in fixed point. For 8 bits e^x of every difference to a row's largest
// element comes from a table; int16 interpolates e^x and 1 / (1 + x).
#include <bit>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/fixed_point/fixed_point_functions.h"
#include "kernels/fixed_point/integer_arithmetic.h"
#include "kernels/fixed_point/lookup_table.h"

namespace visq::kernels::integer_softmax {
namespace {

constexpr int kDifferenceBits = 5;  ///< integer bits of differences
constexpr int kSumBits = 12;        ///< integer bits of sums

/// Differences below a row's largest element, by the steps between them: as x with 5 integer bits, e^x, and e^x as a part of a sum.
struct Differences {
  std::array<std::int32_t, 256> x{}, exp{}, part{};
  int count = 0;  ///< further differences count as infinite
};

/// The factor from steps to x, `beta` * scale, saturated where one step is beyond all that matters.
Multiplier difference_multiplier(double scale, float beta) {
  return to_multiplier(std::min(static_cast<double>(beta) * scale * (1 << (31 - kDifferenceBits)), 2147483647.0));
}

Differences tabulate(const Multiplier& multiplier) {
  const double longest = std::ldexp(31.0 * (1 << (31 - kDifferenceBits)), -multiplier.exponent);
  Differences d;
  d.count = static_cast<int>(std::min(std::floor(longest) + 1, 256.0));
  for (int steps = 0; steps < d.count; ++steps) {
    const auto i = as_size(steps);
    d.x[i] = multiply(-steps, multiplier);
    d.exp[i] = exp_of_negative(d.x[i]);
    d.part[i] = rounding_shift(d.exp[i], kSumBits);
  }
  return d;
}

template <class T>
std::int64_t sum_of_exps(const T* row, std::int64_t length, T largest, const Differences& d) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const int steps = largest - row[i];
    if (steps < d.count) sum += d.part[as_size(steps)];
  }
  return sum;
}

/// A function of rows, applied to each: void operator()(const In* row, Out* out, std::int64_t length) const.
template <class In, class Out, class Rows>
Result<std::unique_ptr<Kernel>> row_kernel(PrepareContext& context, Rows rows) {
  const Shape& shape = context.input(0).shape;
  if (shape.rank() < 1) return context.fail("the input has rank 0, expected 1 or more");
  VISQ_TRY(context.set_output(0, kDTypeOf<Out>, shape));
  return make_kernel([rows = std::move(rows), length = shape.back()](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(0);
    const auto out = eval.out<Out>(0);
    for (std::size_t start = 0; start < in.size(); start += as_size(length)) {
      rows(in.data() + start, out.data() + start, length);
    }
    return {};
  });
}

template <class In, class Out>
struct Softmax {
  Differences d;
  void operator()(const In* row, Out* out, std::int64_t length) const {
    const In largest = *std::max_element(row, row + length);
    const Reciprocal scale = reciprocal(static_cast<std::uint32_t>(sum_of_exps(row, length, largest, d)), kSumBits);
    const int shift = scale.exponent + 31 - static_cast<int>(sizeof(Out)) * 8;
    constexpr std::int32_t kLowest = std::numeric_limits<Out>::min();
    for (std::int64_t i = 0; i < length; ++i) {
      const int steps = largest - row[i];
      const std::int32_t exp = steps < d.count ? doubling_high_product(scale.inverse, d.exp[as_size(steps)]) : 0;
      out[i] = saturate<Out>(std::int64_t{shift > 31 ? 0 : rounding_shift(exp, shift)} + kLowest);
    }
  }
};

/// ln of a quotient with 4 integer bits, the largest stored integer standing for 0.
template <class T>
struct LogSoftmax {
  Differences d;
  Multiplier to_steps;  ///< from x to steps
  void operator()(const T* row, T* out, std::int64_t length) const {
    constexpr std::int64_t kLargestSum = std::numeric_limits<std::int32_t>::max();
    const T largest = *std::max_element(row, row + length);
    const std::int64_t sum = sum_of_exps(row, length, largest, d);
    const std::int32_t log = log_of_sum(static_cast<std::int32_t>(std::min(sum, kLargestSum)));
    const std::int32_t lowest = wrapping_add(log, std::numeric_limits<std::int32_t>::min());  // below, x - log would leave the format
    const std::int64_t limit = std::min<std::int64_t>(d.count, -std::int64_t{multiply(lowest, to_steps)});
    for (std::int64_t i = 0; i < length; ++i) {
      const int steps = largest - row[i];
      const std::int32_t x = steps < limit ? rounding_shift(d.x[as_size(steps)] - log, 31 - kDifferenceBits - 4) : -256;
      out[i] = saturate<T>(x + std::numeric_limits<T>::max());
    }
  }
};

/// Differences are scaled to 65535 steps for [-10, 0], where e^x is tabulated.
struct SoftmaxInt16 {
  Multiplier multiplier;
  InterpolatedTable exp, inverse;
  void operator()(const std::int16_t* row, std::int16_t* out, std::int64_t length) const {
    const std::int16_t largest = *std::max_element(row, row + length);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      out[i] = exp(saturate<std::int16_t>(std::int64_t{multiply(row[i] - largest, multiplier)} + 32767));
      sum += out[i];
    }
    const auto bounded = static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, 2, std::numeric_limits<std::int32_t>::max()));
    const int room = std::countl_zero(bounded) - 1;
    const auto normalized = static_cast<std::int32_t>(((std::uint64_t{bounded} << room) + (1 << 13)) >> 14);  // 1 is 2^16
    const std::int64_t scale = inverse(saturate<std::int16_t>(normalized - (1 << 16) - (1 << 15)));
    const int shift = 30 - room;
    for (std::int64_t i = 0; i < length; ++i) {
      out[i] = static_cast<std::int16_t>(std::clamp<std::int64_t>((out[i] * scale + (std::int64_t{1} << (shift - 1))) >> shift, 0, 32767));
    }
  }
};

Result<std::unique_ptr<Kernel>> prepare_softmax_int16(PrepareContext& context, float beta) {
  constexpr double kStep = 1.0 / 65535;
  const float scale = context.input(0).info->quantization.scale[0] * beta;
  const auto exp = [](double x) { return std::exp(x); };
  const auto inverse = [](double x) { return 1.0 / (1.0 + x); };
  return row_kernel<std::int16_t, std::int16_t>(context, SoftmaxInt16{to_multiplier(static_cast<double>(scale) / (10.0 / 65535.0)),
                                                                      InterpolatedTable::of(10.0 / 65535, 32767, 2.0 / 65535, exp),
                                                                      InterpolatedTable::of(kStep, -32768, 2.0 / 65535, inverse)});
}

/// Fails unless the output lies on the grid that LiteRT demands, within a thousandth of the scale.
Status expect_output_grid(const PrepareContext& context, double scale, std::int32_t zero_point) {
  const StoredGrid grid = stored_grid(context.output(0));
  if (std::fabs(grid.scale - scale) <= 0.001 * scale && grid.zero_point == zero_point) return {};
  return context.unsupported("the output has scale {} and zero point {}, expected {} and {}", grid.scale, grid.zero_point, scale,
                             zero_point);
}

Result<std::unique_ptr<Kernel>> prepare_softmax(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_grid(context, context.input(0), "the input"));
  VISQ_TRY(expect_per_tensor(context, context.output(0), "the output"));
  const DType from = context.input(0).dtype, to = context.output(0).dtype;
  const auto beta = static_cast<float>(context.attributes().real("beta", 1));
  if (!(beta > 0) || !std::isfinite(beta)) return context.unsupported("beta is {}", beta);
  if (to == DType::kInt16 && from == DType::kInt16) VISQ_TRY(expect_output_grid(context, 1.0 / 32768, 0));
  if (to == DType::kInt8) VISQ_TRY(expect_output_grid(context, 1.0 / 256, -128));
  if (from == DType::kInt16) return prepare_softmax_int16(context, beta);
  const Differences d = tabulate(difference_multiplier(stored_grid(context.input(0)).scale, beta));
  return for_type(context, 0, TypeList<std::int8_t, std::uint8_t>(), [&]<class In>(std::type_identity<In>) {
    return for_dtype(context, to, TypeList<In, std::int16_t>(),
                     [&]<class Out>(std::type_identity<Out>) { return row_kernel<In, Out>(context, Softmax<In, Out>{d}); });
  });
}

Result<std::unique_ptr<Kernel>> prepare_log_softmax(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const Multiplier multiplier = difference_multiplier(stored_grid(context.input(0)).scale, 1);
  const Multiplier to_steps = to_multiplier(std::ldexp(1.0, 31 - multiplier.exponent) / multiplier.fraction);
  return for_type(context, 0, TypeList<std::int8_t, std::uint8_t>(),
                  [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
                    VISQ_TRY(expect_output_grid(context, 1.0 / 16, std::numeric_limits<T>::max()));
                    return row_kernel<T, T>(context, LogSoftmax<T>{tabulate(multiplier), to_steps});
                  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "SOFTMAX", .prepare = prepare_softmax, .types = {DType::kInt8, DType::kUInt8, DType::kInt16}},
    {.name = "LOG_SOFTMAX", .prepare = prepare_log_softmax, .types = {DType::kInt8, DType::kUInt8}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_softmax
