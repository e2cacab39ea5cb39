// ROPE: circle's rotary position embedding. Pairs of each row's elements are turned by angles whose sines and cosines are inputs: the
// halves of a row against each other (GPT_NEOX), or neighbours (GPT_J).
#include "kernels/indexing/broadcast.h"

namespace visq::kernels::ops_rope {
namespace {

enum Input : int { kInput, kSines, kCosines };

/// Where the elements of a pair stand in a row.
struct Pairs {
  std::int64_t count = 0, step = 1, distance = 1;
};

void turn_row(const Pairs& pairs, const float* in, const float* sines, const float* cosines, float* out) {
  for (std::int64_t pair = 0; pair < pairs.count; ++pair) {
    const std::int64_t a = pair * pairs.step, b = a + pairs.distance;
    out[a] = in[a] * cosines[a] - in[b] * sines[a];
    out[b] = in[a] * sines[b] + in[b] * cosines[b];
  }
}

/// Tables have whole rows, and broadcast to the input's shape.
Status check_table(const PrepareContext& context, int slot, std::string_view role) {
  VISQ_TRY(context.expect_type(slot, role, {DType::kFloat32}));
  const Shape& shape = context.input(kInput).shape;
  const Shape& table = context.input(slot).shape;
  const Shape* both[] = {&shape, &table};
  if (table.rank() < 1 || table.back() != shape.back() || broadcast_shape(both) != shape) {
    return context.fail("{} of shape {} do not fit the input's {}", role, to_string(table), to_string(shape));
  }
  return {};
}

Result<Pairs> read_pairs(const PrepareContext& context, std::int64_t width) {
  if (width % 2 != 0) return context.fail("rows have {} elements, expected an even number", width);
  const auto mode = context.attributes().text("mode", "GPT_NEOX");
  if (mode == "GPT_NEOX") return Pairs{width / 2, 1, width / 2};
  if (mode == "GPT_J") return Pairs{width / 2, 2, 1};
  return context.unsupported("mode '{}'", mode);
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "the input", 4));
  VISQ_TRY(check_table(context, kSines, "sines"));
  VISQ_TRY(check_table(context, kCosines, "cosines"));
  const Shape& shape = context.input(kInput).shape;
  VISQ_ASSIGN(const Pairs pairs, read_pairs(context, shape.back()));
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  Shape rows = shape;
  rows[3] = 1;
  const auto strides = [&](int slot) { return broadcast_strides(context.input(slot).shape, shape); };
  const Loops<3> loops(rows.dims(), {dense_strides(shape), strides(kSines), strides(kCosines)});
  return make_kernel([pairs, loops](EvalContext& eval) -> Status {
    const float* in = eval.in<float>(kInput).data();
    float* out = eval.out<float>(0).data();
    if (eval.output(0).elements() == 0) return {};  // however many empty rows there are
    loops.for_each(loops.depth(), [&](const auto& at) {
      turn_row(pairs, in + at[0], eval.in<float>(kSines).data() + at[1], eval.in<float>(kCosines).data() + at[2], out + at[0]);
    });
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ROPE", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_rope
