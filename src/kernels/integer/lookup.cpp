// ELU, EXP, GELU, LOG, SQRT, RSQRT on stored integers: tables of the float function, for 8 bits of all 256 values, for int16 of samples.
#include "kernels/fixed_point/lookup_table.h"

#include "kernels/elementwise/stored_elementwise.h"
#include "kernels/fixed_point/fixed_point_functions.h"

namespace visq::kernels::integer_lookup {
namespace {

struct Elu {
  float operator()(float x) const { return x < 0 ? std::expm1(x) : x; }
};
struct Exp {
  float operator()(float x) const { return std::exp(x); }
};
struct Gelu {
  float operator()(float x) const { return 0.5F * x * std::erfc(x * -0.707106781F); }
};
struct GeluTanh {
  float operator()(float x) const { return 0.5F * x * (1.0F + std::tanh(0.797884561F * (x + 0.044715F * x * x * x))); }
};
struct Log {
  float lowest;  ///< of the output's real values
  float operator()(float x) const { return x <= 0 ? lowest : std::log(x); }
};
struct ReciprocalRoot {
  float highest;  ///< of the output's real values
  float operator()(float x) const { return x <= 0 ? highest : 1.0F / std::sqrt(x); }
};

template <class Types, class Function>
Result<std::unique_ptr<Kernel>> lookup_kernel(PrepareContext& context, const Function& function) {
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == 1) {
      return stored_map<T>(context, StoredFunction<T, Function>{in, out, function});
    } else {
      return stored_map<T>(context, InterpolatedTable::of(static_cast<float>(in.scale), 0, static_cast<float>(out.scale), function));
    }
  });
}

template <class Function, class Types>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  return lookup_kernel<Types>(context, Function());
}

Result<std::unique_ptr<Kernel>> prepare_gelu(PrepareContext& context) {
  return context.attributes().flag("approximate") ? prepare<GeluTanh, StoredTypes>(context) : prepare<Gelu, StoredTypes>(context);
}

Result<std::unique_ptr<Kernel>> prepare_log(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid out = stored_grid(context.output(0));
  const std::int32_t lowest = context.input(0).dtype == DType::kInt8 ? -128 : -32768;
  return lookup_kernel<StoredSigned>(context, Log{static_cast<float>(lowest - out.zero_point) * static_cast<float>(out.scale)});
}

/// Computed in float32, and truncated.
template <class T>
struct SquareRoot {
  StoredGrid in, out;
  T operator()(T q) const {
    const float root = std::sqrt(static_cast<float>(in.scale) * static_cast<float>(std::int32_t{q} - in.zero_point));
    return saturate<T>(std::int64_t{to_int32(root / static_cast<float>(out.scale))} + out.zero_point);
  }
};

Result<std::unique_ptr<Kernel>> prepare_sqrt(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  return for_type(context, 0, StoredSigned(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    VISQ_ASSIGN(auto kernel, stored_map<T>(context, SquareRoot<T>{in, out}));
    return refusing_below<T>(context, in.zero_point, std::move(kernel));
  });
}

/// 1 / sqrt of the steps above the zero point, with 20 more bits, requantized.
struct FixedReciprocalRoot {
  std::int32_t zero_point;
  Requantization requantize;
  std::int32_t operator()(std::int8_t q) const {
    const std::int32_t steps = q - zero_point;
    if (steps <= 0) return requantize.range.high;
    Multiplier root = inverse_square_root(steps);
    root.exponent += kShift;
    return requantize(multiply(1, root));
  }
  static constexpr int kShift = 20;
};

Result<std::unique_ptr<Kernel>> prepare_rsqrt(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  const auto in_scale = static_cast<float>(in.scale), out_scale = static_cast<float>(out.scale);
  if (context.input(0).dtype == DType::kInt16) {
    VISQ_ASSIGN(auto kernel, lookup_kernel<StoredSigned>(context, ReciprocalRoot{32767.0F * out_scale}));
    return refusing_below<std::int16_t>(context, 0, std::move(kernel));
  }
  Multiplier multiplier = to_multiplier(1.0 / static_cast<double>(std::sqrt(in_scale) * out_scale));
  multiplier.exponent -= FixedReciprocalRoot::kShift;
  if (multiplier.exponent < -31)
    return context.unsupported("the output's scale {} is too large for an input of scale {}", out_scale, in_scale);
  const Requantization requantize{multiplier, out.zero_point, range_of<std::int8_t>()};
  VISQ_ASSIGN(auto kernel, stored_map<std::int8_t>(context, FixedReciprocalRoot{in.zero_point, requantize}));
  return refusing_below<std::int8_t>(context, in.zero_point, std::move(kernel));
}

constexpr OpDef kDefinitions[] = {
    {.name = "ELU", .prepare = prepare<Elu, TypeList<std::int8_t>>, .types = {DType::kInt8}},
    {.name = "EXP", .prepare = prepare<Exp, StoredSigned>, .types = StoredSigned::dtypes()},
    {.name = "GELU", .prepare = prepare_gelu, .types = StoredTypes::dtypes()},
    {.name = "LOG", .prepare = prepare_log, .types = StoredSigned::dtypes()},
    {.name = "SQRT", .prepare = prepare_sqrt, .types = StoredSigned::dtypes()},
    {.name = "RSQRT", .prepare = prepare_rsqrt, .types = StoredSigned::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_lookup
