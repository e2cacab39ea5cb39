// DEPTH_TO_SPACE, SPACE_TO_DEPTH: blocks of the plane against channels, NHWC.
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_depth_space {
namespace {

constexpr int kInput = 0;

/// Axes of the wide side: [batch, height, block y, width, block x, channels of the deep side over blocks].
Walk wide_walk(const Shape& wide, std::int64_t block) {
  const auto s = dense_strides(wide);
  return {0, {s[0], s[1] * block, s[1], s[2] * block, s[2], s[3]}};
}
/// The same axes on the deep side, where block y and block x stand in front of the channels.
Walk deep_walk(const Shape& deep, const Shape& wide, std::int64_t block) {
  const auto s = dense_strides(deep);
  return {0, {s[0], s[1], block * wide[3], s[2], wide[3], 1}};
}

Result<std::int64_t> read_block(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "the input", 4));
  const std::int64_t block = context.attributes().integer("block_size");
  constexpr std::int64_t kLargest = 1 << 20;
  if (block < 1 || block > kLargest) return context.fail("block_size is {}", block);
  return block;
}

Shape region_of(const Shape& deep, const Shape& wide, std::int64_t block) { return {deep[0], deep[1], block, deep[2], block, wide[3]}; }

Result<std::unique_ptr<Kernel>> prepare_depth_to_space(PrepareContext& context) {
  VISQ_ASSIGN(const std::int64_t block, read_block(context));
  const Shape& deep = context.input(kInput).shape;
  if (deep[3] % (block * block) != 0) return context.fail("{} channels do not divide into blocks of {} x {}", deep[3], block, block);
  const auto height = checked_mul(deep[1], block), width = checked_mul(deep[2], block);
  if (!height || !width) return context.fail("block_size {} is too large for {}", block, to_string(deep));
  const Shape wide{deep[0], *height, *width, deep[3] / (block * block)};
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, wide));
  return copy_kernel({StridedCopy(region_of(deep, wide, block), deep_walk(deep, wide, block), wide_walk(wide, block))});
}

Result<std::unique_ptr<Kernel>> prepare_space_to_depth(PrepareContext& context) {
  VISQ_ASSIGN(const std::int64_t block, read_block(context));
  const Shape& wide = context.input(kInput).shape;
  if (wide[1] % block != 0 || wide[2] % block != 0)
    return context.fail("{} does not divide into blocks of {} x {}", to_string(wide), block, block);
  const auto channels = checked_mul(wide[3], block * block);
  if (!channels) return context.fail("block_size {} is too large for {}", block, to_string(wide));
  const Shape deep{wide[0], wide[1] / block, wide[2] / block, *channels};
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, deep));
  return copy_kernel({StridedCopy(region_of(deep, wide, block), wide_walk(wide, block), deep_walk(deep, wide, block))});
}

constexpr OpDef kDefinitions[] = {
    {.name = "DEPTH_TO_SPACE",
     .prepare = prepare_depth_to_space,
     .types = kMovable,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "SPACE_TO_DEPTH",
     .prepare = prepare_space_to_depth,
     .types = kMovable,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_depth_space
