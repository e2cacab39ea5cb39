// RotaryEmbedding of ONNX and of ONNX Runtime: pairs of a head's elements are turned by angles that the position tells.
#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/op.h"

namespace visq::kernels::ops_onnx_rotary_embedding {
namespace {

constexpr int kInput = 0;

/// Where the operator has what it needs; the domains differ in the order of inputs.
struct Slots {
  int cosines, sines, positions;
};

/// [batch, heads, steps, size], or [batch, steps, heads * size].
struct Layout {
  std::int64_t batch = 0, heads = 1, steps = 0, size = 0;
  std::int64_t turned = 0;  ///< elements of a head that are turned, its first ones
  bool heads_first = true, interleaved = false;

  std::int64_t first(std::int64_t image, std::int64_t head, std::int64_t step) const {
    return (heads_first ? (image * heads + head) * steps + step : (image * steps + step) * heads + head) * size;
  }
};

Result<Layout> layout_of(const PrepareContext& context, const Slots& slots) {
  const Attributes& attributes = context.attributes();
  const Shape& from = context.input(kInput).shape;
  if (from.rank() != 3 && from.rank() != 4) return context.fail("input has rank {}, expected 3 or 4", from.rank());
  Layout layout{.batch = from[0], .heads_first = from.rank() == 4, .interleaved = attributes.integer("interleaved") != 0};
  layout.heads = layout.heads_first ? from[1] : attributes.integer("num_heads");
  layout.steps = from[layout.heads_first ? 2 : 1];
  const std::int64_t cached = context.input(slots.cosines).shape.rank() == 0 ? 0 : context.input(slots.cosines).shape.back();
  const std::int64_t partial = attributes.integer("rotary_embedding_dim");
  if (!layout.heads_first && layout.heads == 0 && partial == 0 && cached > 0) layout.heads = from[2] / (2 * cached);
  if (layout.heads < 1 || from.back() % (layout.heads_first ? 1 : layout.heads) != 0) {
    return context.fail("{} heads of {}", layout.heads, to_string(from));
  }
  layout.size = layout.heads_first ? from[3] : from[2] / layout.heads;
  layout.turned = partial == 0 ? layout.size : partial;
  if (layout.turned < 2 || layout.turned % 2 != 0 || layout.turned > layout.size || cached * 2 != layout.turned) {
    return context.fail("{} of {} elements are turned by {} angles", layout.turned, layout.size, cached);
  }
  return layout;
}

/// The angles are by position, or by batch and step.
Status check_angles(const PrepareContext& context, const Slots& slots, const Layout& layout) {
  VISQ_TRY(context.expect_type(slots.cosines, "the cosines", {DType::kFloat32}));
  VISQ_TRY(context.expect_type(slots.sines, "the sines", {DType::kFloat32}));
  const Shape& angles = context.input(slots.cosines).shape;
  if (context.input(slots.sines).shape != angles) return context.fail("cosines and sines have different shapes");
  if (!context.has_input(slots.positions)) {
    const Shape expected{layout.batch, layout.steps, layout.turned / 2};
    return angles == expected ? Status() : context.fail("angles have the shape {}, expected {}", to_string(angles), to_string(expected));
  }
  VISQ_TRY(context.expect_type(slots.positions, "the positions", {DType::kInt64}));
  VISQ_TRY(context.expect_rank(slots.cosines, "the cosines", 2));
  const Shape& positions = context.input(slots.positions).shape;
  if (positions == Shape{layout.batch, layout.steps} || positions.elements() == 1) return {};
  return context.fail("positions have the shape {}", to_string(positions));
}

void turn(const Layout& layout, const float* in, float* out, const float* cosines, const float* sines) {
  const std::int64_t half = layout.turned / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const std::int64_t a = layout.interleaved ? 2 * i : i, b = layout.interleaved ? 2 * i + 1 : i + half;
    out[a] = in[a] * cosines[i] - in[b] * sines[i];
    out[b] = in[b] * cosines[i] + in[a] * sines[i];
  }
  for (std::int64_t i = layout.turned; i < layout.size; ++i) out[i] = in[i];
}

Status embed(EvalContext& eval, const Layout& layout, const Slots& slots, const std::string& place) {
  const std::int64_t half = layout.turned / 2, rows = eval.input(slots.cosines).elements() / half;
  for (std::int64_t image = 0; image < layout.batch; ++image) {
    for (std::int64_t step = 0; step < layout.steps; ++step) {
      std::int64_t row = image * layout.steps + step;
      if (eval.has_input(slots.positions)) {
        const auto positions = eval.in<std::int64_t>(slots.positions);
        const bool each = eval.input(slots.positions).shape.rank() == 2;
        const std::int64_t position = each ? positions[positions.size() == 1 ? 0 : as_size(row)] : positions[0];
        if (position < 0 || position >= rows || (!each && step >= rows - position)) {
          return bad_input("{}: position {} of step {}, there are {}", place, position, step, rows);
        }
        row = each ? position : position + step;
      }
      const float* const cosines = eval.in<float>(slots.cosines).data() + row * half;
      const float* const sines = eval.in<float>(slots.sines).data() + row * half;
      for (std::int64_t head = 0; head < layout.heads; ++head) {
        const std::int64_t first = layout.first(image, head, step);
        turn(layout, eval.in<float>(kInput).data() + first, eval.out<float>(0).data() + first, cosines, sines);
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context, const Slots& slots) {
  VISQ_TRY(context.expect_inputs(3, 4));
  VISQ_TRY(context.expect_outputs(1));
  for (const int slot : {slots.cosines, slots.sines}) {
    if (!context.has_input(slot)) return context.fail("input {} is left out", slot);
  }
  const Attributes& attributes = context.attributes();
  if (attributes.integer("is_packed_batching") != 0) return context.unsupported("is_packed_batching");
  if (attributes.real("scale", 1) != 1) return context.unsupported("a scale of {}", attributes.real("scale"));
  VISQ_ASSIGN(const Layout layout, layout_of(context, slots));
  VISQ_TRY(check_angles(context, slots, layout));
  VISQ_TRY(context.set_output(0, DType::kFloat32, context.input(kInput).shape));
  return make_kernel([layout, slots, place = context.place()](EvalContext& eval) { return embed(eval, layout, slots, place); });
}

Result<std::unique_ptr<Kernel>> prepare_standard(PrepareContext& context) {
  return prepare(context, {.cosines = 1, .sines = 2, .positions = 3});
}
Result<std::unique_ptr<Kernel>> prepare_microsoft(PrepareContext& context) {
  return prepare(context, {.cosines = 2, .sines = 3, .positions = 1});
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.RotaryEmbedding", .prepare = prepare_standard, .types = {DType::kFloat32}},
    {.name = "com.microsoft.RotaryEmbedding", .prepare = prepare_microsoft, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_rotary_embedding
