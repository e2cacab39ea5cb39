#include "kernels/elementwise/reduction.h"

#include "core/as_size.h"
#include "kernels/parameters.h"

namespace visq::kernels {

Result<Reduction> Reduction::plan(PrepareContext& context, DType output) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  VISQ_ASSIGN(const auto listed, context.integers(1, "the list of axes"));
  std::vector<bool> reduced(as_size(from.rank()), false);
  for (const std::int64_t entry : listed) {
    VISQ_ASSIGN(const int axis, checked_axis(context, entry, from.rank()));
    reduced[as_size(axis)] = true;
  }
  const bool keep = context.attributes().flag("keep_dims");
  Reduction plan;
  Shape shape, kept = from;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const bool drop = reduced[as_size(axis)];
    if (drop) plan.folded_ *= from[axis];
    if (!drop) plan.of_everything_ = false;
    if (drop) kept[axis] = 1;
    if (!drop || keep) shape.push_back(kept[axis]);
  }
  VISQ_TRY(context.set_output(0, output, std::move(shape)));
  auto out_strides = dense_strides(kept);
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) out_strides[i] = 0;
  }
  plan.loops_ = Loops<2>(from.dims(), {dense_strides(from), std::move(out_strides)});
  return plan;
}

void Reduction::for_each_run(const std::function<void(std::int64_t, std::int64_t)>& body) const {
  loops_.for_each_run([&](const auto& offsets) { body(offsets[kIn], offsets[kOut]); });
}

}  // namespace visq::kernels
