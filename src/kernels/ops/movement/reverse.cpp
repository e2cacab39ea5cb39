// REVERSE_V2: axes back to front. REVERSE_SEQUENCE: the first `length` entries of each sequence back to front.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_reverse {
namespace {

constexpr int kInput = 0;

Result<std::unique_ptr<Kernel>> prepare_reverse(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const auto listed, context.integers(1, "the list of axes"));
  Walk source = dense_walk(shape);
  for (const std::int64_t entry : listed) {
    VISQ_ASSIGN(const int axis, checked_axis(context, entry, shape.rank()));
    std::int64_t& step = source.strides[as_size(axis)];
    if (step < 0) return context.fail("axis {} is listed twice", axis);
    source.offset += (shape[axis] - 1) * step;
    step = -step;
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  return copy_kernel({StridedCopy(shape, source, dense_walk(shape))});
}

/// The input as [outer, first, middle, second, inner], where first and second are the axes of sequence and batch, in either order.
struct Extents {
  std::int64_t outer, first, middle, second, inner;
  bool sequence_first;
};

Status reverse_sequences(EvalContext& eval, const Extents& e, const std::string& place) {
  const std::int64_t entries = e.sequence_first ? e.first : e.second;
  std::int64_t target = 0;
  for (std::int64_t outer = 0; outer < e.outer; ++outer) {
    for (std::int64_t first = 0; first < e.first; ++first) {
      for (std::int64_t middle = 0; middle < e.middle; ++middle) {
        for (std::int64_t second = 0; second < e.second; ++second, target += e.inner) {
          const std::int64_t length = index_value(eval.input(1), e.sequence_first ? second : first);
          if (length < 0 || length > entries) return bad_input("{}: length {} is out of range for sequences of {}", place, length, entries);
          const std::int64_t entry = e.sequence_first ? first : second;
          const std::int64_t from = entry < length ? length - 1 - entry : entry;
          const std::int64_t row = (outer * e.first + (e.sequence_first ? from : first)) * e.middle + middle;
          copy_elements(eval.input(kInput), (row * e.second + (e.sequence_first ? second : from)) * e.inner, eval.output(0), target,
                        e.inner);
        }
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_sequence(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(1, "the lengths", {DType::kInt32, DType::kInt64}));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const int sequence, checked_axis(context, context.attributes().integer("seq_dim"), shape.rank()));
  VISQ_ASSIGN(const int batch, checked_axis(context, context.attributes().integer("batch_dim"), shape.rank()));
  if (sequence == batch) return context.fail("seq_dim and batch_dim are both {}", batch);
  if (context.input(1).shape != Shape{shape[batch]}) {
    return context.fail("lengths have the shape {}, expected [{}]", to_string(context.input(1).shape), shape[batch]);
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, shape));
  const int first = std::min(sequence, batch), second = std::max(sequence, batch);
  const Extents extents{
      shape.elements(0, first), shape[first], shape.elements(first + 1, second), shape[second], shape.elements(second + 1, shape.rank()),
      sequence < batch};
  return make_kernel([extents, place = context.place()](EvalContext& eval) { return reverse_sequences(eval, extents, place); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "REVERSE_V2",
     .prepare = prepare_reverse,
     .types = kMovable,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
    {.name = "REVERSE_SEQUENCE",
     .prepare = prepare_sequence,
     .types = kMovable,
     .reorders = true,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_reverse
