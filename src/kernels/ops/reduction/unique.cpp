// UNIQUE: the distinct elements of a vector in order of appearance, and for each element which of them it is.
#include <unordered_map>

#include "kernels/element_types.h"

namespace visq::kernels::ops_unique {
namespace {

constexpr int kInput = 0;
constexpr int kValues = 0;
constexpr int kIndices = 1;

using Types = TypeList<float, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;

template <class T, class Index>
Status find_unique(EvalContext& eval) {
  const auto in = eval.in<T>(kInput);
  const auto values = eval.out<T>(kValues);
  const auto indices = eval.out<Index>(kIndices);
  std::unordered_map<T, std::size_t> places;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto [place, added] = places.try_emplace(in[i], places.size());
    if (added) values[place->second] = in[i];
    indices[i] = static_cast<Index>(place->second);
  }
  return {};
}

template <class T>
Result<std::unique_ptr<Kernel>> unique_kernel(PrepareContext& context) {
  std::unordered_map<T, bool> distinct;
  for (const T& value : context.input(kInput).values<T>()) distinct.try_emplace(value);
  VISQ_TRY(context.set_output(kValues, kDTypeOf<T>, {static_cast<std::int64_t>(distinct.size())}));
  const DType index_type = context.output(kIndices).dtype;
  VISQ_TRY(context.set_output(kIndices, index_type, context.input(kInput).shape));
  return for_dtype(context, index_type, TypeList<std::int32_t, std::int64_t>(),
                   []<class Index>(std::type_identity<Index>) { return make_kernel(find_unique<T, Index>); });
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(2));
  VISQ_TRY(context.expect_rank(kInput, "the input", 1));
  VISQ_TRY(context.require_known(kInput));
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) { return unique_kernel<T>(context); });
}

constexpr OpDef kDefinitions[] = {{.name = "UNIQUE", .prepare = prepare, .types = Types::dtypes(), .takes_stored = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_unique
