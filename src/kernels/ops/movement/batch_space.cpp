// SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND: blocks of the plane against the batch, with padding before and cropping after.
#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/indexing/padding.h"
#include "kernels/parameters.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_batch_space {
namespace {

constexpr int kInput = 0;
constexpr int kBlocks = 1;
constexpr int kBorders = 2;

Result<std::vector<std::int64_t>> read_blocks(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(expect_same_grid(context, context.input(kInput), "the input", context.output(0)));
  VISQ_ASSIGN(auto blocks, context.integers(kBlocks, "the block shape"));
  const int rank = context.input(kInput).shape.rank();
  if (rank < static_cast<int>(blocks.size()) + 1) return context.fail("{} blocks for an input of rank {}", blocks.size(), rank);
  for (const std::int64_t size : blocks) {
    if (size < 1) return context.fail("a block has size {}", size);
  }
  return blocks;
}

Result<std::int64_t> product_of(const PrepareContext& context, const std::vector<std::int64_t>& blocks) {
  const auto product = checked_elements(blocks);
  if (!product) return context.fail("blocks multiply beyond 63 bits");
  return *product;
}

/// Paddings of all axes of `shape` from the [blocks, 2] tensor that has only those of the plane.
Result<Paddings> read_borders(PrepareContext& context, const Shape& shape, std::size_t blocks) {
  VISQ_ASSIGN(const auto plane, read_paddings(context, kBorders, Shape(shape.dims().subspan(1, blocks))));
  Paddings all{std::vector<std::int64_t>(as_size(shape.rank()), 0), std::vector<std::int64_t>(as_size(shape.rank()), 0), shape};
  for (std::size_t i = 0; i < blocks; ++i) {
    all.before[i + 1] = plane.before[i];
    all.after[i + 1] = plane.after[i];
    all.padded[static_cast<int>(i) + 1] = plane.padded[static_cast<int>(i)];
  }
  return all;
}

/// One walk over the plane's tensor and one over the batch's, along the same axes: blocks, batch, then block rows and the rest.
struct Walks {
  Shape region;
  Walk plane, batch;
};

Walks walk_blocks(const Shape& plane, const Shape& batch, const std::vector<std::int64_t>& blocks) {
  const auto in_plane = dense_strides(plane), in_batch = dense_strides(batch);
  const std::int64_t batches = plane[0];
  Walks walks;
  const auto add = [&](std::int64_t size, std::int64_t plane_step, std::int64_t batch_step) {
    walks.region.push_back(size);
    walks.plane.strides.push_back(plane_step);
    walks.batch.strides.push_back(batch_step);
  };
  std::int64_t block_step = batches * in_batch[0];
  for (const std::int64_t size : blocks) block_step *= size;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    block_step /= blocks[i];
    add(blocks[i], in_plane[i + 1], block_step);
  }
  add(batches, in_plane[0], in_batch[0]);
  for (std::size_t i = 1; i < in_plane.size(); ++i) {
    const bool blocked = i <= blocks.size();
    add(batch[static_cast<int>(i)], blocked ? in_plane[i] * blocks[i - 1] : in_plane[i], in_batch[i]);
  }
  return walks;
}

/// A tensor like `model` in scratch memory.
Tensor scratch_like(EvalContext& eval, const Tensor& model, std::int64_t elements) {
  Tensor tensor;
  tensor.dtype = model.dtype;
  tensor.data = eval.scratch(as_size(elements) * size_of(model.dtype));
  return tensor;
}

Result<std::unique_ptr<Kernel>> prepare_space_to_batch(PrepareContext& context) {
  VISQ_ASSIGN(const auto blocks, read_blocks(context));
  VISQ_ASSIGN(const std::int64_t product, product_of(context, blocks));
  const Tensor& input = context.input(kInput);
  VISQ_ASSIGN(const Paddings borders, read_borders(context, input.shape, blocks.size()));
  const Shape& plane = borders.padded;
  const auto batches = checked_mul(plane[0], product);
  if (!batches) return context.fail("blocks multiply the batch of {} beyond 63 bits", plane[0]);
  Shape batch = plane;
  batch[0] = *batches;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    if (plane[axis] % blocks[i] != 0)
      return context.fail("padded axis {} of size {} does not divide into blocks of {}", axis, plane[axis], blocks[i]);
    batch[axis] = plane[axis] / blocks[i];
  }
  VISQ_TRY(context.set_output(0, input.dtype, batch));
  const Walks walks = walk_blocks(plane, batch, blocks);
  VISQ_ASSIGN(const std::int64_t zero, padding_zero(context));
  return make_kernel([pad = Surround(input.shape, borders), elements = plane.elements(), zero,
                      copy = StridedCopy(walks.region, walks.plane, walks.batch)](EvalContext& eval) -> Status {
    Tensor padded = scratch_like(eval, eval.input(kInput), elements);
    pad.run(eval.input(kInput), zero, padded);
    copy.run(padded, eval.output(0));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_batch_to_space(PrepareContext& context) {
  VISQ_ASSIGN(const auto blocks, read_blocks(context));
  VISQ_ASSIGN(const std::int64_t product, product_of(context, blocks));
  const Tensor& input = context.input(kInput);
  const Shape& batch = input.shape;
  if (batch[0] % product != 0) return context.fail("batch {} does not divide into {} blocks", batch[0], product);
  Shape plane = batch;
  plane[0] = batch[0] / product;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    const auto size = checked_mul(batch[axis], blocks[i]);
    if (!size) return context.fail("blocks of {} are too large for axis {}", blocks[i], axis);
    plane[axis] = *size;
  }
  VISQ_ASSIGN(const Paddings borders, read_borders(context, plane, blocks.size()));
  Shape cropped = plane;
  Walk kept = {0, {}};
  for (int axis = 0; axis < plane.rank(); ++axis) {
    const auto i = as_size(axis);
    if (borders.before[i] > plane[axis] - borders.after[i]) {
      return context.fail("cropping {} and {} exceeds axis {} of size {}", borders.before[i], borders.after[i], axis, plane[axis]);
    }
    cropped[axis] = plane[axis] - borders.before[i] - borders.after[i];
  }
  VISQ_TRY(context.set_output(0, input.dtype, cropped));
  if (batch.elements() == 0 || cropped.elements() == 0) return copy_kernel({});
  kept.strides = dense_strides(plane);
  for (std::size_t i = 0; i < kept.strides.size(); ++i) kept.offset += borders.before[i] * kept.strides[i];
  const Walks walks = walk_blocks(plane, batch, blocks);
  return make_kernel([elements = batch.elements(), copy = StridedCopy(walks.region, walks.batch, walks.plane),
                      crop = StridedCopy(cropped, kept, dense_walk(cropped))](EvalContext& eval) -> Status {
    Tensor whole = scratch_like(eval, eval.input(kInput), elements);
    copy.run(eval.input(kInput), whole);
    crop.run(whole, eval.output(0));
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "SPACE_TO_BATCH_ND", .prepare = prepare_space_to_batch, .types = kMovable, .takes_stored = true, .keeps_codes = DTypes::all()},
    {.name = "BATCH_TO_SPACE_ND", .prepare = prepare_batch_to_space, .types = kMovable, .takes_stored = true, .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_batch_space
