// SELECT, SELECT_V2: elements of the second or third input, as the condition says. V2 broadcasts all three; SELECT takes equal shapes,
// a scalar condition, or a condition per entry of the first axis.
#include "kernels/element_types.h"
#include "kernels/indexing/broadcast.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::ops_select {
namespace {

constexpr int kCondition = 0;
constexpr int kThen = 1;
constexpr int kElse = 2;

template <std::size_t kBytes>
struct Element {
  std::byte bytes[kBytes];
};

template <std::size_t kBytes>
void select_all(const Broadcast<3>& broadcast, EvalContext& eval) {
  using T = Element<kBytes>;
  const auto condition = eval.in<Bool>(kCondition).data();
  const auto* then_values = reinterpret_cast<const T*>(eval.input(kThen).data);
  const auto* else_values = reinterpret_cast<const T*>(eval.input(kElse).data);
  auto* out = reinterpret_cast<T*>(eval.output(0).data);
  const auto steps = broadcast.steps();
  broadcast.for_each_run([&](const auto& offsets, std::int64_t start, std::int64_t length) {
    const Bool* c = condition + offsets[kCondition];
    const T* t = then_values + offsets[kThen];
    const T* e = else_values + offsets[kElse];
    for (std::int64_t i = 0; i < length; ++i) out[start + i] = c[i * steps[kCondition]] ? t[i * steps[kThen]] : e[i * steps[kElse]];
  });
}

Status expect_selectable(const PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kCondition, "the condition", {DType::kBool}));
  return context.expect_same_type(kElse, "the third input", kThen);
}

Result<std::unique_ptr<Kernel>> prepare_v2(PrepareContext& context) {
  VISQ_TRY(expect_selectable(context));
  VISQ_ASSIGN(auto broadcast, Broadcast<3>::plan(context, context.input(kThen).dtype));
  return make_kernel([broadcast = std::move(broadcast)](EvalContext& eval) -> Status {
    switch (size_of(eval.output(0).dtype)) {
      case 1:
        select_all<1>(broadcast, eval);
        break;
      case 2:
        select_all<2>(broadcast, eval);
        break;
      case 4:
        select_all<4>(broadcast, eval);
        break;
      case 8:
        select_all<8>(broadcast, eval);
        break;
      default:
        select_all<16>(broadcast, eval);
        break;
    }
    return {};
  });
}

/// One condition for each entry of the first axis.
std::unique_ptr<Kernel> entries_kernel(std::int64_t entry) {
  return make_kernel([entry](EvalContext& eval) -> Status {
    const auto condition = eval.in<Bool>(kCondition);
    for (std::size_t i = 0; i < condition.size(); ++i) {
      const std::int64_t start = static_cast<std::int64_t>(i) * entry;
      copy_elements(eval.input(condition[i] ? kThen : kElse), start, eval.output(0), start, entry);
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_v1(PrepareContext& context) {
  VISQ_TRY(expect_selectable(context));
  const Shape& condition = context.input(kCondition).shape;
  const Shape& shape = context.input(kThen).shape;
  if (context.input(kElse).shape != shape) {
    return context.fail("the second input has the shape {}, the third {}", to_string(shape), to_string(context.input(kElse).shape));
  }
  const bool per_entry = condition.rank() == 1 && shape.rank() >= 1 && condition[0] == shape[0];
  if (condition == shape || condition.rank() == 0) return prepare_v2(context);
  if (!per_entry) return context.fail("a condition of shape {} does not fit {}", to_string(condition), to_string(shape));
  VISQ_TRY(context.set_output(0, context.input(kThen).dtype, shape));
  return entries_kernel(shape.elements(1, shape.rank()));
}

constexpr OpDef kDefinitions[] = {
    {.name = "SELECT", .prepare = prepare_v1, .types = kMovable, .main_input = kThen, .takes_stored = true, .keeps_codes = DTypes::all()},
    {.name = "SELECT_V2",
     .prepare = prepare_v2,
     .types = kMovable,
     .main_input = kThen,
     .takes_stored = true,
     .keeps_codes = DTypes::all()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_select
