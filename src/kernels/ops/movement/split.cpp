// SPLIT, SPLIT_V, UNPACK: one input cut into outputs along an axis, which UNPACK drops.
#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"
#include "kernels/stored.h"

namespace visq::kernels::ops_split {
namespace {

/// One copy per output out of its part of input `slot`.
std::unique_ptr<Kernel> cut_kernel(int slot, std::vector<StridedCopy> copies) {
  return make_kernel([slot, copies = std::move(copies)](EvalContext& eval) -> Status {
    for (std::size_t i = 0; i < copies.size(); ++i) copies[i].run(eval.input(slot), eval.output(static_cast<int>(i)));
    return {};
  });
}

/// Cuts input `slot` along `axis` into pieces of the given sizes, which add up to the axis.
Result<std::unique_ptr<Kernel>> cut(PrepareContext& context, int slot, int axis, const std::vector<std::int64_t>& sizes) {
  const Tensor& input = context.input(slot);
  Walk source = dense_walk(input.shape);
  std::vector<StridedCopy> copies;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Shape piece = input.shape;
    piece[axis] = sizes[i];
    VISQ_TRY(context.set_output(static_cast<int>(i), input.dtype, piece));
    copies.emplace_back(piece, source, dense_walk(piece));
    source.offset += sizes[i] * source.strides[as_size(axis)];
  }
  return cut_kernel(slot, std::move(copies));
}

Result<std::unique_ptr<Kernel>> prepare_split(PrepareContext& context) {
  constexpr int kAxis = 0, kInput = 1;
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(std::max(context.output_count(), 1)));
  VISQ_ASSIGN(const std::int64_t where, integer(context, kAxis, "the axis"));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, where, shape.rank()));
  const int count = context.output_count();
  if (shape[axis] % count != 0) return context.fail("axis {} of size {} cannot be cut into {} equal pieces", axis, shape[axis], count);
  return cut(context, kInput, axis, std::vector<std::int64_t>(as_size(count), shape[axis] / count));
}

/// Piece sizes that add up to `total`; one of them may be -1, what is left.
Status resolve_sizes(const PrepareContext& context, std::vector<std::int64_t>& sizes, std::int64_t total) {
  std::int64_t* open = nullptr;
  std::int64_t sum = 0;
  for (std::int64_t& size : sizes) {
    if (size < -1 || (size == -1 && open != nullptr)) return context.fail("cannot cut a piece of size {}", size);
    if (size == -1) open = &size;
    const auto next = checked_add(sum, size == -1 ? 0 : size);
    if (!next) return context.fail("piece sizes add up to more than 63 bits");
    sum = *next;
  }
  if (open != nullptr && sum <= total) {
    *open = total - sum;
    sum = total;
  }
  if (sum != total) return context.fail("piece sizes add up to {}, the axis has size {}", sum, total);
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_split_v(PrepareContext& context) {
  constexpr int kInput = 0, kSizes = 1, kAxis = 2;
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(std::max(context.output_count(), 1)));
  VISQ_ASSIGN(const std::int64_t where, integer(context, kAxis, "the axis"));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const int axis, checked_axis(context, where, shape.rank()));
  VISQ_ASSIGN(auto sizes, integers_of(context, kSizes, "the list of sizes", context.output_count()));
  VISQ_TRY(resolve_sizes(context, sizes, shape[axis]));
  return cut(context, kInput, axis, sizes);
}

Result<std::unique_ptr<Kernel>> prepare_unpack(PrepareContext& context) {
  constexpr int kInput = 0;
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(std::max(context.output_count(), 1)));
  const Tensor& input = context.input(kInput);
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis"), input.shape.rank()));
  if (input.shape[axis] != context.output_count()) {
    return context.fail("axis {} has size {}, but there are {} outputs", axis, input.shape[axis], context.output_count());
  }
  std::vector<std::int64_t> dims(input.shape.dims().begin(), input.shape.dims().end());
  dims.erase(dims.begin() + axis);
  const Shape piece(std::move(dims));
  Walk source = dense_walk(input.shape);
  const std::int64_t step = source.strides[as_size(axis)];
  source.strides.erase(source.strides.begin() + axis);
  std::vector<StridedCopy> copies;
  for (int i = 0; i < context.output_count(); ++i, source.offset += step) {
    VISQ_TRY(context.set_output(i, input.dtype, piece));
    VISQ_TRY(expect_same_grid(context, input, "the input", context.output(i)));
    copies.emplace_back(piece, source, dense_walk(piece));
  }
  return cut_kernel(kInput, std::move(copies));
}

constexpr OpDef kDefinitions[] = {
    {.name = "SPLIT",
     .prepare = prepare_split,
     .types = kMovableOrString,
     .main_input = 1,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "SPLIT_V", .prepare = prepare_split_v, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()},
    {.name = "UNPACK", .prepare = prepare_unpack, .types = kMovableOrString, .takes_stored = true, .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_split
