// FULLY_CONNECTED in integer runs. Sums are scaled in float64, unlike everywhere else, but those of sparse or int16 weights. Blockwise
// weights (float activations, int4 weights with a scale for each block of a row) always go with an asymmetric input.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/backend/integer_product.h"
#include "kernels/constants/dequantize_constant.h"
#include "kernels/constants/row_quantization.h"
#include "kernels/convolution/integer_convolution.h"
#include "kernels/convolution/stored_filter.h"

namespace visq::kernels::integer_fully_connected {
namespace {

/// Weights with a scale for each block.
struct BlockwiseFilter {
  std::int64_t outputs = 0, depth = 0, block = 1;
  std::vector<backend::PackedMatrix> blocks = {};  ///< [outputs, block] each
  std::vector<float> scales = {};                  ///< [outputs, blocks]
};

class BlockwiseKernel final : public Kernel {
 public:
  BlockwiseKernel(const ConvolutionSpec& spec, BlockwiseFilter filter) : spec_(spec), filter_(std::move(filter)) {}

  Status eval(EvalContext& context) const override {
    const auto in = context.in<float>(spec_.slots.input);
    const auto out = context.out<float>(0);
    const float* bias = context.has_input(spec_.slots.bias) ? context.in<float>(spec_.slots.bias).data() : nullptr;
    const auto depth = as_size(filter_.depth), outputs = as_size(filter_.outputs);
    auto* sums = reinterpret_cast<std::int32_t*>(context.scratch(outputs * sizeof(std::int32_t) + (depth + 1) * sizeof(std::int16_t)));
    auto* centered = reinterpret_cast<std::int16_t*>(sums + outputs);
    for (std::size_t row = 0; row < out.size() / outputs; ++row) {
      const RowGrid grid = center_row(in.data() + row * depth, depth, true, centered);
      float* target = out.data() + row * outputs;
      add_blocks(centered, sums, target);
      for (std::size_t c = 0; c < outputs; ++c) target[c] = target[c] * grid.scale + (bias == nullptr ? 0 : bias[c]);
    }
    apply(spec_.activation, out);
    return {};
  }

 private:
  /// target[c] = sum over blocks of scale * sum over the block
  void add_blocks(const std::int16_t* centered, std::int32_t* sums, float* target) const {
    const auto outputs = as_size(filter_.outputs), count = filter_.blocks.size();
    std::fill_n(target, outputs, 0.0F);
    for (std::size_t block = 0; block < count; ++block) {
      backend::multiply({centered + static_cast<std::int64_t>(block) * filter_.block, filter_.block, 1}, filter_.blocks[block], sums,
                        filter_.outputs);
      for (std::size_t c = 0; c < outputs; ++c) target[c] += static_cast<float>(sums[c]) * filter_.scales[c * count + block];
    }
  }

  ConvolutionSpec spec_;
  BlockwiseFilter filter_;
};

Result<BlockwiseFilter> read_blocks(PrepareContext& context, const ConvolutionSpec& spec) {
  const Tensor& filter = context.input(spec.slots.filter);
  BlockwiseFilter result{
      .outputs = spec.shape.out_channels, .depth = spec.shape.in_channels, .block = filter.info->quantization.block_size};
  if (result.block < 1 || result.depth % result.block != 0)
    return context.fail("filter of depth {} has blocks of {} elements", result.depth, result.block);
  VISQ_TRY(context.require_known(spec.slots.filter));
  VISQ_ASSIGN(result.scales, dequantize_constant(context.declared(filter.info->quantization.block_scales), context.place()));
  std::vector<std::int16_t> values(as_size(result.outputs * result.block));
  for (std::int64_t first = 0; first < result.depth; first += result.block) {
    for (std::int64_t c = 0; c < result.outputs; ++c) {
      center(filter, 0, c * result.depth + first, result.block, values.data() + c * result.block);
    }
    result.blocks.emplace_back(values, result.outputs, result.block);
  }
  context.mark_packed(spec.slots.filter);
  return result;
}

Result<std::unique_ptr<Kernel>> prepare_blockwise(PrepareContext& context, const ConvolutionSpec& spec) {
  VISQ_TRY(context.expect_type(spec.slots.input, "input", {DType::kFloat32}));
  VISQ_TRY(context.expect_type(spec.slots.filter, "filter", {DType::kInt4, DType::kInt8}));
  VISQ_TRY(context.set_output(0, DType::kFloat32, spec.output));
  if (context.has_input(spec.slots.bias)) {
    VISQ_TRY(context.expect_type(spec.slots.bias, "bias", {DType::kFloat32}));
    const std::int64_t biases = context.input(spec.slots.bias).elements();
    if (biases != spec.shape.out_channels) return context.fail("bias has {} elements, expected {}", biases, spec.shape.out_channels);
  }
  VISQ_ASSIGN(BlockwiseFilter filter, read_blocks(context, spec));
  if (spec.shape.out_channels == 0) return make_kernel([](EvalContext&) -> Status { return {}; });
  return std::unique_ptr<Kernel>(std::make_unique<BlockwiseKernel>(spec, std::move(filter)));
}

Result<std::unique_ptr<Kernel>> prepare_fully_connected(PrepareContext& context) {
  VISQ_ASSIGN(const ConvolutionSpec spec, fully_connected_spec(context));
  const TensorInfo* filter = context.input(spec.slots.filter).info;
  if (filter->quantization.block_size != 0) return prepare_blockwise(context, spec);
  const bool wide = context.input(spec.slots.filter).dtype == DType::kInt16;
  const bool fixed = wide || filter->sparsity != nullptr;
  return make_integer_convolution(context, spec,
                                  {.scaling = fixed ? Scaling::kFixedPoint : Scaling::kReal,
                                   .float_product = fixed && !filter->quantization.per_channel(),
                                   .wide_sums = wide,
                                   .filter_zero_point = true,
                                   .asymmetric = context.attributes().flag("asymmetric_quantize_inputs"),
                                   .scale_per_pixel = true});
}

constexpr OpDef kDefinitions[] = {{.name = "FULLY_CONNECTED",
                                   .prepare = prepare_fully_connected,
                                   .types = {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_fully_connected
