// ABS, RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU, PRELU on stored integers: a factor for either side of zero, and limits.
#include "kernels/stored_elementwise.h"

namespace visq::kernels {
namespace {

template <class T>
struct Clamped {
  std::int32_t zero_point;
  Requantization requantize;
  T operator()(T q) const { return static_cast<T>(requantize(q - zero_point)); }
};

/// The multiplier between the grids of input 0 and the output; their quotient is taken in float32, as LiteRT does.
Multiplier grid_multiplier(const StoredGrid& in, const StoredGrid& out) {
  return to_multiplier(static_cast<double>(static_cast<float>(in.scale) / static_cast<float>(out.scale)));
}

template <class Types>
Result<std::unique_ptr<Kernel>> prepare_clamp(PrepareContext& context, RealRange range) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    return stored_map<T>(context, Clamped<T>{in.zero_point, {grid_multiplier(in, out), out.zero_point, stored_limits<T>(out, range)}});
  });
}

Result<std::unique_ptr<Kernel>> prepare_relu(PrepareContext& context) {
  return prepare_clamp<StoredTypes>(context, {0, std::numeric_limits<double>::max()});
}
Result<std::unique_ptr<Kernel>> prepare_relu6(PrepareContext& context) { return prepare_clamp<StoredTypes>(context, {0, 6}); }
Result<std::unique_ptr<Kernel>> prepare_relu_n1_to_1(PrepareContext& context) { return prepare_clamp<StoredBytes>(context, {-1, 1}); }
Result<std::unique_ptr<Kernel>> prepare_relu_0_to_1(PrepareContext& context) { return prepare_clamp<StoredBytes>(context, {0, 1}); }

template <class T>
struct Absolute {
  std::int32_t zero_point;
  Requantization requantize;
  T operator()(T q) const { return static_cast<T>(requantize(std::abs(q - zero_point))); }
};

Result<std::unique_ptr<Kernel>> prepare_abs(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  return for_type(context, 0, StoredSigned(), [&]<class T>(std::type_identity<T>) {
    return stored_map<T>(context, Absolute<T>{in.zero_point, {grid_multiplier(in, out), out.zero_point, type_limits<T>()}});
  });
}

template <class T>
struct TwoSided {
  std::int32_t zero_point;
  Requantization above, below;
  T operator()(T q) const {
    const std::int32_t steps = q - zero_point;
    return static_cast<T>(steps >= 0 ? above(steps) : below(steps));
  }
};

Result<std::unique_ptr<Kernel>> prepare_leaky_relu(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  const auto alpha = static_cast<float>(context.attributes().real("alpha"));
  const float factor = static_cast<float>(in.scale) * alpha / static_cast<float>(out.scale);
  if (!std::isfinite(factor)) return context.fail("alpha is {}", alpha);
  return for_type(context, 0, StoredTypes(), [&]<class T>(std::type_identity<T>) {
    return stored_map<T>(context, TwoSided<T>{in.zero_point,
                                              {grid_multiplier(in, out), out.zero_point, type_limits<T>()},
                                              {to_multiplier(static_cast<double>(factor)), out.zero_point, type_limits<T>()}});
  });
}

template <class T>
struct Prelu {
  std::int32_t zero_point, alpha_zero;
  Requantization above, below;
  T operator()(T q, T alpha) const {
    const std::int32_t steps = q - zero_point;
    return static_cast<T>(steps >= 0 ? above(steps) : below(steps * (alpha - alpha_zero)));
  }
};

Result<std::unique_ptr<Kernel>> prepare_prelu(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 2));
  const StoredGrid in = stored_grid(context.input(0)), alpha = stored_grid(context.input(1)), out = stored_grid(context.output(0));
  const float factor = static_cast<float>(in.scale) * static_cast<float>(alpha.scale) / static_cast<float>(out.scale);
  return for_type(context, 0, StoredBytes(), [&]<class T>(std::type_identity<T>) {
    return zip_kernel<T, T>(context, Prelu<T>{in.zero_point,
                                              alpha.zero_point,
                                              {grid_multiplier(in, out), out.zero_point, type_limits<T>()},
                                              {to_multiplier(static_cast<double>(factor)), out.zero_point, type_limits<T>()}});
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ABS", .prepare = prepare_abs, .types = StoredSigned::dtypes()},
    {.name = "RELU", .prepare = prepare_relu, .types = StoredTypes::dtypes()},
    {.name = "RELU6", .prepare = prepare_relu6, .types = StoredTypes::dtypes()},
    {.name = "RELU_N1_TO_1", .prepare = prepare_relu_n1_to_1, .types = StoredBytes::dtypes()},
    {.name = "RELU_0_TO_1", .prepare = prepare_relu_0_to_1, .types = StoredBytes::dtypes()},
    {.name = "LEAKY_RELU", .prepare = prepare_leaky_relu, .types = StoredTypes::dtypes()},
    {.name = "PRELU", .prepare = prepare_prelu, .types = StoredBytes::dtypes()},
};

}  // namespace

std::span<const OpDef> integer_piecewise_linear() { return kDefinitions; }

}  // namespace visq::kernels
