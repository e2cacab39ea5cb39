// FULLY_CONNECTED: y = x * transpose(filter) + bias, filter [outputs, depth]. The input counts as [elements / depth, depth],
// whatever its rank; with keep_num_dims the output keeps the input's leading axes.
#include "kernels/convolution.h"

namespace visq::kernels {
namespace {

constexpr int kInput = 0;
constexpr int kFilter = 1;
constexpr int kBias = 2;

Result<Shape> output_shape(const PrepareContext& context, std::int64_t rows, std::int64_t depth, std::int64_t outputs) {
  const Shape& in = context.input(kInput).shape;
  if (!context.attributes().flag("keep_num_dims")) return Shape{rows, outputs};
  if (in.rank() == 0 || in.back() != depth) {
    return context.fail("input has the shape {}, expected {} as its last size", to_string(in), depth);
  }
  Shape shape = in;
  shape[in.rank() - 1] = outputs;
  return shape;
}

Result<std::unique_ptr<Kernel>> prepare_fully_connected(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kFilter, "filter", 2));
  const auto format = context.attributes().text("weights_format", "DEFAULT");
  if (format != "DEFAULT") return context.unsupported("weights_format {}", format);
  const Shape& filter = context.input(kFilter).shape;
  const std::int64_t depth = filter[1];
  const std::int64_t elements = context.input(kInput).elements();
  if (depth < 1 || elements % depth != 0) {
    return context.fail("input has {} elements, no multiple of the filter's depth {}", elements, depth);
  }
  const std::int64_t rows = elements / depth;
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_ASSIGN(Shape shape, output_shape(context, rows, depth, filter[0]));
  VISQ_TRY(context.set_output(0, DType::kFloat32, std::move(shape)));
  return make_convolution(context,
                          {.shape = {.in_channels = depth, .out_channels = filter[0], .height = {}, .width = {.in = rows, .out = rows}},
                           .layout = backend::FilterLayout::kOhwi,
                           .slots = {.input = kInput, .filter = kFilter, .bias = kBias, .channel_axis = 0},
                           .activation = activation});
}

constexpr OpDef kDefinitions[] = {{.name = "FULLY_CONNECTED", .prepare = prepare_fully_connected, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> ops_fully_connected() { return kDefinitions; }

}  // namespace visq::kernels
