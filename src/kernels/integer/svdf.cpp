// SVDF in integer runs: int8 activations with states and time weights in int16 or int8, or float activations with int8 weights.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/math/fixed_point.h"
#include "kernels/matrices/weight_matrix.h"
#include "kernels/recurrent/svdf.h"
#include "kernels/stored.h"

namespace visq::kernels::integer_svdf {
namespace {

struct StoredSvdfParts {
  SvdfShape shape;
  CodeMatrix features;
  std::vector<std::int32_t> time = {}, bias = {};  ///< bias: empty for none
  Multiplier to_state = {}, to_output = {};
  std::int32_t input_zero_point = 0, state_zero_point = 0, output_zero_point = 0;
};

/// T: of the state and the time weights.
template <class T>
class StoredSvdf final : public Kernel {
 public:
  explicit StoredSvdf(StoredSvdfParts parts) : parts_(std::move(parts)) {}

  Status eval(EvalContext& eval) const override {
    const SvdfShape& shape = parts_.shape;
    auto* sums = reinterpret_cast<std::int32_t*>(eval.scratch(as_size(shape.filters) * sizeof(std::int32_t)));
    for (std::int64_t row = 0; row < shape.batch; ++row) {
      T* state = eval.input(kSvdfState).mutable_values<T>().data() + row * shape.filters * shape.memory;
      parts_.features.multiply(eval.in<std::int8_t>(kSvdfInput).data() + row * shape.features, sums);
      remember(sums, state);
      combine(state, eval.out<std::int8_t>(0).data() + row * shape.units);
    }
    return {};
  }

 private:
  void remember(const std::int32_t* sums, T* state) const {
    for (std::size_t filter = 0; filter < parts_.features.rows(); ++filter, state += parts_.shape.memory) {
      const auto offset =
          static_cast<std::uint32_t>(parts_.features.row_sums()[filter]) * static_cast<std::uint32_t>(parts_.input_zero_point);
      const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[filter]) - offset);
      std::copy(state + 1, state + parts_.shape.memory, state);
      state[parts_.shape.memory - 1] = saturate<T>(std::int64_t{multiply(sum, parts_.to_state)} + parts_.state_zero_point);
    }
  }

  void combine(const T* state, std::int8_t* output) const {
    const std::int64_t products = parts_.shape.rank * parts_.shape.memory;  // of one unit
    const std::int32_t* time = parts_.time.data();
    for (std::int64_t unit = 0; unit < parts_.shape.units; ++unit, state += products, time += products) {
      std::uint32_t sum = parts_.bias.empty() ? 0 : static_cast<std::uint32_t>(parts_.bias[as_size(unit)]);
      for (std::int64_t i = 0; i < products; ++i) {
        sum += static_cast<std::uint32_t>(time[i]) * static_cast<std::uint32_t>(state[i] - parts_.state_zero_point);
      }
      const std::int64_t scaled = multiply(static_cast<std::int32_t>(sum), parts_.to_output);
      output[unit] = saturate<std::int8_t>(scaled + parts_.output_zero_point);
    }
  }

  StoredSvdfParts parts_;
};

/// a * b / c of three tensors' scales.
Result<Multiplier> effective_scale(const PrepareContext& context, const Tensor& a, const Tensor& b, const Tensor& c) {
  for (const Tensor* tensor : {&a, &b, &c}) VISQ_TRY(expect_per_tensor(context, *tensor, tensor->info->name));
  const double factor = stored_grid(a).scale * stored_grid(b).scale / stored_grid(c).scale;
  if (!std::isfinite(factor)) return context.fail("the scales of its tensors give a factor that is no number");
  return to_multiplier(factor);
}

template <class T>
Result<std::unique_ptr<Kernel>> prepare_stored(PrepareContext& context) {
  VISQ_ASSIGN(const SvdfShape shape, prepare_svdf_shape(context, kDTypeOf<T>, DType::kInt8));
  VISQ_TRY(context.expect_same_type(kSvdfTimeWeights, "time weights", kSvdfState));
  VISQ_TRY(context.require_known(kSvdfTimeWeights));
  VISQ_ASSIGN(CodeMatrix features, read_codes(context, kSvdfFeatureWeights, "feature weights"));
  const Tensor& input = context.input(kSvdfInput);
  const Tensor& state = context.input(kSvdfState);
  const Tensor& time = context.input(kSvdfTimeWeights);
  StoredSvdfParts parts{.shape = shape, .features = std::move(features)};
  VISQ_ASSIGN(parts.to_state, effective_scale(context, input, context.input(kSvdfFeatureWeights), state));
  VISQ_ASSIGN(parts.to_output, effective_scale(context, state, time, context.output(0)));
  parts.input_zero_point = stored_grid(input).zero_point;
  parts.state_zero_point = std::is_same_v<T, std::int8_t> ? stored_grid(state).zero_point : 0;
  parts.output_zero_point = stored_grid(context.output(0)).zero_point;
  const auto weights = time.values<T>();
  parts.time.assign(weights.begin(), weights.end());
  if (context.has_input(kSvdfBias)) {
    VISQ_TRY(context.expect_type(kSvdfBias, "bias", {DType::kInt32}));
    VISQ_TRY(context.require_known(kSvdfBias));
    const auto bias = context.input(kSvdfBias).values<std::int32_t>();
    parts.bias.assign(bias.begin(), bias.end());
  }
  return std::unique_ptr<Kernel>(std::make_unique<StoredSvdf<T>>(std::move(parts)));
}

Result<std::unique_ptr<Kernel>> prepare_svdf(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 5));
  if (context.input(kSvdfInput).dtype == DType::kFloat32) return prepare_float_svdf(context);
  if (context.attributes().text("fused_activation_function", "NONE") != "RELU") {
    return context.unsupported("fused activation {}, expected RELU", context.attributes().text("fused_activation_function", "NONE"));
  }
  const bool bytes = context.has_input(kSvdfState) && context.input(kSvdfState).dtype == DType::kInt8;
  return bytes ? prepare_stored<std::int8_t>(context) : prepare_stored<std::int16_t>(context);
}

constexpr OpDef kDefinitions[] = {{.name = "SVDF", .prepare = prepare_svdf, .types = {DType::kFloat32, DType::kInt8}, .stateful = true}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_svdf
