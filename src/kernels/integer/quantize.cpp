// QUANTIZE and DEQUANTIZE in integer runs: float to stored integers, stored integers to float, and from one grid to another in fixed
// point.
#include "kernels/element_types.h"
#include "kernels/math/fixed_point.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_quantize {
namespace {

constexpr int kInput = 0;

using Stored = TypeList<std::int8_t, std::uint8_t, std::int16_t, std::int32_t>;

/// Grids of a tensor, one or one per channel, and how its elements lie in them.
struct ChannelGrids {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::int64_t inner = 1;  ///< neighbouring elements of one channel

  /// Calls visit(first element, one behind the last, scale, zero point) for runs of elements of one channel.
  template <class Visit>
  void for_each_run(std::int64_t elements, Visit visit) const {
    const std::int64_t length = scales.size() == 1 ? elements : inner;
    std::size_t channel = 0;
    for (std::int64_t first = 0; first < elements; first += length) {
      visit(first, first + length, scales[channel], zero_points[channel]);
      if (++channel == scales.size()) channel = 0;
    }
  }
};

Result<ChannelGrids> channel_grids(const PrepareContext& context, const Tensor& tensor, const Shape& shape, std::string_view role) {
  const Quantization& q = tensor.info->quantization;
  ChannelGrids grids{q.scale, {q.zero_point.begin(), q.zero_point.end()}, 1};
  for (const float scale : q.scale) {
    if (!std::isfinite(scale) || scale <= 0) return context.fail("{} has the scale {}, expected one above 0", role, scale);
  }
  if (!q.per_channel()) {
    VISQ_TRY(expect_per_tensor(context, tensor, role));
    return grids;
  }
  if (q.axis >= shape.rank() || shape[q.axis] != static_cast<std::int64_t>(q.scale.size())) {
    return context.fail("{} has {} scales along axis {} of the shape {}", role, q.scale.size(), q.axis, to_string(shape));
  }
  grids.inner = shape.elements(q.axis + 1, shape.rank());
  return grids;
}

template <class Out>
std::unique_ptr<Kernel> quantizing_kernel(ChannelGrids grids) {
  return make_kernel([grids = std::move(grids)](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<Out>(0);
    grids.for_each_run(eval.input(kInput).elements(), [&](std::int64_t first, std::int64_t last, float scale, std::int32_t zero_point) {
      std::transform(in.begin() + first, in.begin() + last, out.begin() + first,
                     [=](float x) { return to_stored<Out>(x, scale, zero_point); });
    });
    return {};
  });
}

template <class In, class Out>
std::unique_ptr<Kernel> requantizing_kernel(StoredGrid from, StoredGrid to) {
  const Multiplier multiplier = to_multiplier(from.scale / to.scale);
  return make_kernel([multiplier, in_zero = from.zero_point, out_zero = to.zero_point](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(kInput);
    const auto out = eval.out<Out>(0);
    std::transform(in.begin(), in.end(), out.begin(), [=](In q) {
      return saturate<Out>(std::int64_t{multiply(static_cast<std::int32_t>(q) - in_zero, multiplier)} + out_zero);
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_quantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  const Tensor& output = context.output(0);
  VISQ_TRY(context.set_output(0, output.info->dtype, input.shape));
  return for_dtype(context, output.info->dtype, Stored(), [&]<class Out>(std::type_identity<Out>) -> Result<std::unique_ptr<Kernel>> {
    if (input.dtype == DType::kFloat32) {
      VISQ_ASSIGN(auto grids, channel_grids(context, output, input.shape, "the output"));
      return quantizing_kernel<Out>(std::move(grids));
    }
    VISQ_TRY(expect_per_tensor(context, output, "the output"));
    VISQ_TRY(expect_per_tensor(context, input, "the input"));
    return for_type(context, kInput, Stored(), [&]<class In>(std::type_identity<In>) -> Result<std::unique_ptr<Kernel>> {
      return requantizing_kernel<In, Out>(stored_grid(input), stored_grid(output));
    });
  });
}

template <class In>
std::unique_ptr<Kernel> dequantizing_kernel(ChannelGrids grids) {
  return make_kernel([grids = std::move(grids)](EvalContext& eval) -> Status {
    const auto in = eval.in<In>(kInput);
    const auto out = eval.out<float>(0);
    grids.for_each_run(eval.input(kInput).elements(), [&](std::int64_t first, std::int64_t last, float scale, std::int32_t zero_point) {
      std::transform(in.begin() + first, in.begin() + last, out.begin() + first,
                     [=](In q) { return scale * static_cast<float>(static_cast<std::int32_t>(q) - zero_point); });
    });
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_dequantize(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Tensor& input = context.input(kInput);
  VISQ_ASSIGN(auto grids, channel_grids(context, input, input.shape, "the input"));
  VISQ_TRY(context.set_output(0, DType::kFloat32, input.shape));
  const DType in_memory = input.dtype == DType::kInt4 ? DType::kInt8 : input.dtype;
  return for_dtype(context, in_memory, Stored(), [&]<class In>(std::type_identity<In>) -> Result<std::unique_ptr<Kernel>> {
    return dequantizing_kernel<In>(std::move(grids));
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "QUANTIZE",
     .prepare = prepare_quantize,
     .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32}},
    {.name = "DEQUANTIZE",
     .prepare = prepare_dequantize,
     .types = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt4}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_quantize
