// L2_NORMALIZATION on stored integers: each row (last axis) over the root of its sum of squares, on a grid of 1/128.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/fixed_point/fixed_point_functions.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_l2_normalization {
namespace {

constexpr int kOutputBits = 7;

/// The grid's 128ths enter the multiplier for int8, the value for uint8; that differs in rounding.
template <class T>
T normalized(std::int32_t steps, Multiplier root) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return saturate<T>(multiply(steps, {root.fraction, root.exponent + kOutputBits}));
  } else {
    return saturate<T>(std::int64_t{multiply(steps * (1 << kOutputBits), root)} + (1 << kOutputBits));
  }
}

template <class T>
void normalize_row(const T* in, T* out, std::int64_t length, std::int32_t zero_point) {
  std::int64_t squares = 0;
  for (std::int64_t i = 0; i < length; ++i) squares += (in[i] - zero_point) * (in[i] - zero_point);
  const Multiplier root =
      inverse_square_root(static_cast<std::int32_t>(std::min<std::int64_t>(squares, std::numeric_limits<std::int32_t>::max())));
  for (std::int64_t i = 0; i < length; ++i) out[i] = normalized<T>(in[i] - zero_point, root);
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const auto activation = context.attributes().text("fused_activation_function", "NONE");
  if (activation != "NONE") return context.unsupported("fused activation {}", activation);
  const Tensor& input = context.input(0);
  if (input.shape.rank() < 1) return context.fail("the input has rank 0, expected 1 or more");
  const StoredGrid grid = stored_grid(context.output(0));
  const std::int32_t middle = input.dtype == DType::kInt8 ? 0 : 128;
  if (grid.scale != 1.0 / 128 || grid.zero_point != middle) {
    return context.unsupported("the output has scale {} and zero point {}, expected 1/128 and {}", grid.scale, grid.zero_point, middle);
  }
  VISQ_TRY(context.set_output(0, input.dtype, input.shape));
  const std::int32_t zero_point = stored_grid(input).zero_point;
  return for_type(context, 0, TypeList<std::int8_t, std::uint8_t>(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([zero_point, length = input.shape.back()](EvalContext& eval) -> Status {
      const auto in = eval.in<T>(0);
      const auto out = eval.out<T>(0);
      for (std::size_t start = 0; start < in.size(); start += as_size(length)) {
        normalize_row(in.data() + start, out.data() + start, length, zero_point);
      }
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "L2_NORMALIZATION", .prepare = prepare, .types = {DType::kInt8, DType::kUInt8}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_l2_normalization
