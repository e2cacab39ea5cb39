// STABLEHLO_PAD, DILATE: elements moved apart and edges added or cropped; what is new takes one value.
#include "core/as_size.h"
#include "kernels/indexing/interior_padding.h"

#include "kernels/element_types.h"

namespace visq::kernels::ops_interior_pad {
namespace {

constexpr int kInput = 0;

Result<std::unique_ptr<Kernel>> pad_kernel(PrepareContext& context, int value, const std::vector<AxisPadding>& paddings) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(value, "the padding value", kInput));
  if (context.input(value).shape.elements() != 1)
    return context.fail("the padding value has the shape {}", to_string(context.input(value).shape));
  VISQ_ASSIGN(auto pad, InteriorPad::plan(context, context.input(kInput).shape, paddings));
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, pad.padded()));
  return make_kernel([pad = std::move(pad), value](EvalContext& eval) -> Status {
    pad.run(eval.input(kInput), eval.input(value), eval.output(0));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_pad(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  const auto rank = as_size(context.input(kInput).shape.rank());
  const auto low = context.attributes().integers("edge_padding_low");
  const auto high = context.attributes().integers("edge_padding_high");
  const auto interior = context.attributes().integers("interior_padding");
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    return context.fail("{}, {} and {} paddings for a tensor of rank {}", low.size(), high.size(), interior.size(), rank);
  }
  std::vector<AxisPadding> paddings;
  for (std::size_t i = 0; i < rank; ++i) paddings.push_back({low[i], high[i], interior[i]});
  return pad_kernel(context, 1, paddings);
}

/// Neighbours that stood side by side stand so many steps apart.
Result<std::unique_ptr<Kernel>> prepare_dilate(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_ASSIGN(const auto steps, context.integers(1, "the dilations"));
  const int rank = context.input(kInput).shape.rank();
  if (steps.size() != as_size(rank)) return context.fail("{} dilations for a tensor of rank {}", steps.size(), rank);
  std::vector<AxisPadding> paddings;
  for (const std::int64_t step : steps) {
    if (step < 1) return context.fail("a dilation of {}", step);
    paddings.push_back({0, 0, step - 1});
  }
  return pad_kernel(context, 2, paddings);
}

constexpr OpDef kDefinitions[] = {
    {.name = "STABLEHLO_PAD", .prepare = prepare_pad, .types = kMovable, .takes_stored = true},
    {.name = "DILATE", .prepare = prepare_dilate, .types = kMovable, .takes_stored = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_interior_pad
