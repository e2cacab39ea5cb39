// ABS, RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU, PRELU on stored integers: a factor for either side of zero, and limits.
#include "kernels/elementwise/stored_elementwise.h"

namespace visq::kernels::integer_piecewise_linear {
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
Result<std::unique_ptr<Kernel>> prepare_clamp(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  const backend::Clamp clamp = *facts_of(context.op()).clamps;
  return for_type(context, 0, Types(), [&]<class T>(std::type_identity<T>) {
    const auto bound = [&](float real) { return std::int32_t{to_stored<T>(real, static_cast<float>(out.scale), out.zero_point)}; };
    return stored_map<T>(context,
                         Clamped<T>{in.zero_point, {grid_multiplier(in, out), out.zero_point, {bound(clamp.low), bound(clamp.high)}}});
  });
}

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
    return stored_map<T>(context, Absolute<T>{in.zero_point, {grid_multiplier(in, out), out.zero_point, range_of<T>()}});
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
                                              {grid_multiplier(in, out), out.zero_point, range_of<T>()},
                                              {to_multiplier(static_cast<double>(factor)), out.zero_point, range_of<T>()}});
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

template <class T>
Prelu<T> make_prelu(const PrepareContext& context) {
  const StoredGrid in = stored_grid(context.input(0)), alpha = stored_grid(context.input(1)), out = stored_grid(context.output(0));
  const float factor = static_cast<float>(in.scale) * static_cast<float>(alpha.scale) / static_cast<float>(out.scale);
  return {in.zero_point,
          alpha.zero_point,
          {grid_multiplier(in, out), out.zero_point, range_of<T>()},
          {to_multiplier(static_cast<double>(factor)), out.zero_point, range_of<T>()}};
}

/// int16 goes with an alpha of int8; LiteRT reads others as if they were that.
Result<std::unique_ptr<Kernel>> prepare_prelu_int16(PrepareContext& context) {
  VISQ_TRY(context.expect_type(1, "alpha", {DType::kInt8}));
  VISQ_ASSIGN(auto broadcast, Broadcast<2>::plan(context, DType::kInt16));
  return make_kernel([broadcast = std::move(broadcast), prelu = make_prelu<std::int16_t>(context)](EvalContext& eval) -> Status {
    const auto [in_step, alpha_step] = broadcast.steps();
    broadcast.for_each_run([&, in_step = in_step, alpha_step = alpha_step](const auto& offsets, std::int64_t start, std::int64_t length) {
      const std::int16_t* const in = eval.in<std::int16_t>(0).data() + offsets[0];
      const std::int8_t* const alpha = eval.in<std::int8_t>(1).data() + offsets[1];
      std::int16_t* const out = eval.out<std::int16_t>(0).data() + start;
      for (std::int64_t i = 0; i < length; ++i) out[i] = prelu(in[i * in_step], alpha[i * alpha_step]);
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_prelu(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_grid(context, context.input(0), "the input"));
  VISQ_TRY(expect_grid(context, context.input(1), "alpha"));
  VISQ_TRY(expect_grid(context, context.output(0), "the output"));
  if (context.input(0).dtype == DType::kInt16) return prepare_prelu_int16(context);
  return for_type(context, 0, StoredBytes(),
                  [&]<class T>(std::type_identity<T>) { return stored_zip<T, T>(context, make_prelu<T>(context)); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ABS", .prepare = prepare_abs, .types = StoredSigned::dtypes()},
    {.name = "RELU", .prepare = prepare_clamp<StoredTypes>, .types = StoredTypes::dtypes()},
    {.name = "RELU6", .prepare = prepare_clamp<StoredTypes>, .types = StoredTypes::dtypes()},
    {.name = "RELU_N1_TO_1", .prepare = prepare_clamp<StoredBytes>, .types = StoredBytes::dtypes()},
    {.name = "RELU_0_TO_1", .prepare = prepare_clamp<StoredBytes>, .types = StoredBytes::dtypes()},
    {.name = "LEAKY_RELU", .prepare = prepare_leaky_relu, .types = StoredTypes::dtypes()},
    {.name = "PRELU", .prepare = prepare_prelu, .types = StoredTypes::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_piecewise_linear
