// ONNX operators that move blocks of maps: DepthToSpace, SpaceToDepth, Col2Im, ReverseSequence.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/onnx/translation.h"
#include "kernels/onnx/window.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_space {
namespace {

struct Blocks {
  std::int64_t size = 1;
  bool blocks_first = true;  ///< DCR: along the deeper axis the block's places come before the channels; CRD: behind
};

Result<Blocks> read_blocks(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the input", 4));
  const std::int64_t size = context.attributes().integer("blocksize");
  constexpr std::int64_t kLargest = 1 << 15;
  if (size < 1 || size > kLargest) return context.fail("blocksize is {}", size);
  const auto mode = context.attributes().text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return context.fail("mode is '{}'", mode);
  return Blocks{size, mode == "DCR"};
}

/// Strides, in the order batch, channel, row, row in the block, column, column in the block, of a map with the blocks in its channels, and
/// of one with them in its space.
struct BlockWalks {
  Shape region;
  Walk deep, wide;
};
BlockWalks walks(const Blocks& blocks, std::int64_t batch, std::int64_t channels, std::int64_t rows, std::int64_t columns) {
  const std::int64_t b = blocks.size, plane = rows * columns;
  const std::int64_t per_channel = (blocks.blocks_first ? 1 : b * b) * plane, per_place = (blocks.blocks_first ? channels : 1) * plane;
  BlockWalks all;
  all.region = {batch, channels, rows, b, columns, b};
  all.deep.strides = {channels * b * b * plane, per_channel, columns, b * per_place, 1, per_place};
  all.wide.strides = {channels * b * b * plane, b * b * plane, b * b * columns, b * columns, b, 1};
  return all;
}

Result<std::unique_ptr<Kernel>> prepare_depth_to_space(PrepareContext& context) {
  VISQ_ASSIGN(const Blocks blocks, read_blocks(context));
  const Shape& from = context.input(0).shape;
  const std::int64_t places = blocks.size * blocks.size;
  if (from[1] % places != 0) return context.fail("{} channels do not fill blocks of {}", from[1], blocks.size);
  const auto rows = checked_mul(from[2], blocks.size), columns = checked_mul(from[3], blocks.size);
  if (!rows || !columns) return context.fail("a map of {} with blocks of {}", to_string(from), blocks.size);
  VISQ_TRY(context.set_output(0, context.input(0).dtype, {from[0], from[1] / places, *rows, *columns}));
  const BlockWalks all = walks(blocks, from[0], from[1] / places, from[2], from[3]);
  return copy_kernel({StridedCopy(all.region, all.deep, all.wide)});
}

Result<std::unique_ptr<Kernel>> prepare_space_to_depth(PrepareContext& context) {
  VISQ_ASSIGN(const Blocks blocks, read_blocks(context));
  const Shape& from = context.input(0).shape;
  if (from[2] % blocks.size != 0 || from[3] % blocks.size != 0) {
    return context.fail("a map of {} is not made of blocks of {}", to_string(from), blocks.size);
  }
  const auto channels = checked_mul(from[1], blocks.size * blocks.size);
  if (!channels) return context.fail("a map of {} with blocks of {}", to_string(from), blocks.size);
  VISQ_TRY(context.set_output(0, context.input(0).dtype, {from[0], *channels, from[2] / blocks.size, from[3] / blocks.size}));
  const BlockWalks all = walks(blocks, from[0], from[1], from[2] / blocks.size, from[3] / blocks.size);
  return copy_kernel({StridedCopy(all.region, all.wide, all.deep)});
}

/// Lengths as in TFLite's operator of that name; the axes have other defaults.
Result<std::unique_ptr<Kernel>> prepare_reverse(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  const int rank = context.input(0).shape.rank();
  VISQ_ASSIGN(const int time, checked_axis(context, context.attributes().integer("time_axis", 0), rank));
  VISQ_ASSIGN(const int batch, checked_axis(context, context.attributes().integer("batch_axis", 1), rank));
  return Translation(context, "REVERSE_SEQUENCE")
      .option("seq_dim", static_cast<std::int64_t>(time))
      .option("batch_dim", static_cast<std::int64_t>(batch))
      .inputs(2)
      .prepare();
}

using backend::ConvolutionAxis;

/// Columns [batch, channels * taps, positions], added up where their windows lie in images.
struct Columns {
  std::vector<ConvolutionAxis> axes;
  std::int64_t maps = 0, taps = 1, positions = 1, pixels = 1;
};

/// One map, axis by axis: `at` is the element of the map as far as the axes before have settled it, -1 where it lies outside.
struct MapSums {
  const Columns& columns;
  const float* in;
  float* out;

  void add(std::size_t axis, std::int64_t tap, std::int64_t position, std::int64_t at) const {
    if (axis == columns.axes.size()) {
      out[at] += in[tap * columns.positions + position];
      return;
    }
    const ConvolutionAxis& along = columns.axes[axis];
    for (std::int64_t k = 0; k < along.kernel; ++k) {
      for (std::int64_t place = 0; place < along.out; ++place) {
        const std::int64_t pixel = place * along.stride + k * along.dilation - along.before;
        if (pixel >= 0 && pixel < along.in) add(axis + 1, tap * along.kernel + k, position * along.out + place, at * along.in + pixel);
      }
    }
  }
};

Result<std::unique_ptr<Kernel>> prepare_col2im(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the columns", 3));
  VISQ_ASSIGN(const auto image, context.integers(1, "image_shape"));
  VISQ_ASSIGN(const auto block, integers_of(context, 2, "block_shape", static_cast<int>(image.size())));
  const Shape& from = context.input(0).shape;
  Columns columns;
  VISQ_ASSIGN(columns.axes, slide_onnx_over(context, image, block));
  for (const ConvolutionAxis& axis : columns.axes) {
    const auto taps = checked_mul(columns.taps, axis.kernel), positions = checked_mul(columns.positions, axis.out);
    if (!taps || !positions) return context.fail("blocks of {}", to_string(Shape(block)));
    columns.taps = *taps, columns.positions = *positions;
  }
  if (from[1] % columns.taps != 0 || from[2] != columns.positions) {
    return context.fail("columns {} are not those of an image {} in blocks of {}", to_string(from), to_string(Shape(image)),
                        to_string(Shape(block)));
  }
  Shape shape{from[0], from[1] / columns.taps};
  for (const std::int64_t size : image) shape.push_back(size);
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  columns.maps = shape[0] * shape[1];
  columns.pixels = shape.elements(2, shape.rank());
  return make_kernel([columns = std::move(columns)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    std::ranges::fill(out, 0.0F);
    for (std::int64_t map = 0; map < columns.maps; ++map) {
      MapSums{columns, eval.in<float>(0).data() + map * columns.taps * columns.positions, out.data() + map * columns.pixels}.add(0, 0, 0,
                                                                                                                                 0);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Col2Im", .prepare = prepare_col2im, .types = {DType::kFloat32}},
    {.name = "ai.onnx.DepthToSpace", .prepare = prepare_depth_to_space, .types = kMovable, .reorders = true},
    {.name = "ai.onnx.ReverseSequence", .prepare = prepare_reverse, .types = kMovable},
    {.name = "ai.onnx.SpaceToDepth", .prepare = prepare_space_to_depth, .types = kMovable, .reorders = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_space
