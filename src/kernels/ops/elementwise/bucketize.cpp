// BUCKETIZE: the number of boundaries that are not above each element.
#include <algorithm>

#include "kernels/element_types.h"

namespace visq::kernels::ops_bucketize {
namespace {

constexpr int kInput = 0;

using Types = TypeList<float, double, std::int32_t, std::int64_t>;

/// Integers meet the float32 boundaries as float32, double as it is.
template <class T>
using Compared = std::conditional_t<std::is_integral_v<T>, float, T>;

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Attribute* option = context.attributes().find("boundaries");
  const auto* listed = option != nullptr ? std::get_if<std::vector<double>>(option) : nullptr;
  std::vector<double> boundaries = listed != nullptr ? *listed : std::vector<double>();
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) return context.fail("the boundaries do not rise");
  VISQ_TRY(context.set_output(0, DType::kInt32, context.input(kInput).shape));
  return for_type(context, kInput, Types(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return make_kernel([boundaries = std::move(boundaries)](EvalContext& eval) -> Status {
      const auto in = eval.in<T>(kInput);
      const auto out = eval.out<std::int32_t>(0);
      std::transform(in.begin(), in.end(), out.begin(), [&](T x) {
        const double value{static_cast<Compared<T>>(x)};
        return static_cast<std::int32_t>(std::upper_bound(boundaries.begin(), boundaries.end(), value) - boundaries.begin());
      });
      return {};
    });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "BUCKETIZE", .prepare = prepare, .types = Types::dtypes()}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_bucketize
