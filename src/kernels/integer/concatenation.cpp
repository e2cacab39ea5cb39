// CONCATENATION of stored integers: uint8 inputs are brought to the output's grid, in float32; int8 and int4 must lie on it, others
// count as if they did.
#include <array>

#include "core/as_size.h"
#include "kernels/indexing/concatenation.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_concatenation {
namespace {

using Table = std::array<std::uint8_t, 256>;

/// From one grid to another; nothing where they are the same.
std::optional<Table> table_between(const StoredGrid& in, const StoredGrid& out) {
  if (in.scale == out.scale && in.zero_point == out.zero_point) return std::nullopt;
  const float scale = static_cast<float>(in.scale) * (1.0F / static_cast<float>(out.scale));
  const float bias = static_cast<float>(-in.zero_point) * scale;
  Table table;
  for (std::size_t q = 0; q < table.size(); ++q) {
    const std::int32_t steps = to_int32(std::round(static_cast<float>(q) * scale + bias));
    table[q] = saturate<std::uint8_t>(std::int64_t{steps} + out.zero_point);
  }
  return table;
}

struct Part {
  StridedCopy copy;
  std::optional<Table> table;
};

void place(EvalContext& eval, int slot, const Part& part) {
  const Tensor& input = eval.input(slot);
  if (!part.table) return part.copy.run(input, eval.output(0));
  const auto in = input.values<std::uint8_t>();
  Tensor moved = input;
  moved.data = eval.scratch(in.size());
  std::transform(in.begin(), in.end(), moved.mutable_values<std::uint8_t>().begin(), [&](std::uint8_t q) { return (*part.table)[q]; });
  part.copy.run(moved, eval.output(0));
}

Status expect_fitting_grid(const PrepareContext& context, int slot) {
  const Tensor& input = context.input(slot);
  const std::string role = fmt::format("input {}", slot);
  if (input.dtype == DType::kInt8 || input.dtype == DType::kInt4) return expect_same_grid(context, input, role, context.output(0));
  return expect_grid(context, input, role);
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(auto copies, plan_concatenation(context));
  VISQ_TRY(expect_grid(context, context.output(0), "the output"));
  std::vector<Part> parts;
  for (int slot = 0; slot < context.input_count(); ++slot) {
    VISQ_TRY(expect_fitting_grid(context, slot));
    Part part{std::move(copies[as_size(slot)]), std::nullopt};
    if (context.input(slot).dtype == DType::kUInt8) {
      part.table = table_between(stored_grid(context.input(slot)), stored_grid(context.output(0)));
    }
    parts.push_back(std::move(part));
  }
  return make_kernel([parts = std::move(parts)](EvalContext& eval) -> Status {
    for (std::size_t i = 0; i < parts.size(); ++i) place(eval, static_cast<int>(i), parts[i]);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "CONCATENATION",
                                   .prepare = prepare,
                                   .types = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kInt4}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_concatenation
