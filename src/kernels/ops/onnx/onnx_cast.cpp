// ONNX operators that give elements another type: Cast, CastLike, BitCast.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/elementwise/wide_numbers.h"
#include "kernels/onnx/translation.h"

namespace visq::kernels::ops_onnx_cast {
namespace {

/// Types of less than a byte, each element of which takes one in memory.
constexpr DTypes kSmall = {DType::kInt4, DType::kUInt4, DType::kInt2};
constexpr DTypes kCast = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kBool,   DType::kInt8,
                          DType::kUInt8,   DType::kInt16,   DType::kUInt16,  DType::kInt32,    DType::kUInt32, DType::kInt64,
                          DType::kUInt64,  DType::kInt4,    DType::kUInt4,   DType::kInt2};

/// The lowest bits of a number that is rounded towards zero, as a number of that type: what the standard leaves open beyond the range is
/// what its reference evaluator gives.
std::int8_t lowest_bits(double number, DType type) {
  const int width = bits(type);
  const auto whole = std::fabs(number) < 0x1p62 ? static_cast<std::int64_t>(number) : 0;
  const std::int64_t low = whole & ((1 << width) - 1);
  const bool negative = type != DType::kUInt4 && (low >> (width - 1)) != 0;
  return static_cast<std::int8_t>(negative ? low - (1 << width) : low);
}

/// To less than a byte.
Result<std::unique_ptr<Kernel>> narrowing_kernel(PrepareContext& context) {
  const DType from = context.input(0).dtype, to = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, to, context.input(0).shape));
  return make_kernel([from, to](EvalContext& eval) -> Status {
    Tensor in = eval.input(0);
    if (kSmall.has(from)) in.dtype = from == DType::kUInt4 ? DType::kUInt8 : DType::kInt8;  // as they stand in memory
    const auto numbers = real_numbers(in);
    std::ranges::transform(numbers, reinterpret_cast<std::int8_t*>(eval.output(0).data),
                           [to](double number) { return lowest_bits(number, to); });
    return {};
  });
}

/// The output's type is the attribute's `to`, or that of a second input.
Result<std::unique_ptr<Kernel>> prepare_cast(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 2));
  VISQ_TRY(context.expect_outputs(1));
  const DType to = context.output(0).dtype;
  if (!kCast.has(to)) return context.unsupported("cannot run with {}", name(to));
  if (context.has_input(1)) VISQ_TRY(context.expect_type(1, "what it is cast like", {to}));
  return kSmall.has(to) ? narrowing_kernel(context) : Translation(context, "CAST").input(0).prepare();
}

/// The same bits.
Result<std::unique_ptr<Kernel>> prepare_bit_cast(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const DType from = context.input(0).dtype, to = context.output(0).dtype;
  if (size_of(from) != size_of(to)) return context.fail("{} has not the size of {}", name(to), name(from));
  VISQ_TRY(context.set_output(0, to, context.input(0).shape));
  return make_kernel([](EvalContext& eval) -> Status {
    std::copy_n(eval.input(0).data, as_size(eval.output(0).elements()) * size_of(eval.output(0).dtype), eval.output(0).data);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.BitCast", .prepare = prepare_bit_cast, .types = kMovable.without(DType::kInt4)},
    {.name = "ai.onnx.Cast", .prepare = prepare_cast, .types = kCast},
    {.name = "ai.onnx.CastLike", .prepare = prepare_cast, .types = kCast},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_cast
