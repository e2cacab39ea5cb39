#include "kernels/recurrent/svdf.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/activation.h"
#include "kernels/matrices/weight_matrix.h"

namespace visq::kernels {
namespace {

class FloatSvdf final : public Kernel {
 public:
  FloatSvdf(const SvdfShape& shape, std::unique_ptr<WeightMatrix> features, std::vector<float> time, std::vector<float> bias,
            Activation activation)
      : shape_(shape), features_(std::move(features)), time_(std::move(time)), bias_(std::move(bias)), activation_(activation) {}

  Status eval(EvalContext& eval) const override {
    const auto newest_bytes = aligned_bytes(as_size(shape_.filters) * sizeof(float));
    std::byte* scratch = eval.scratch(newest_bytes + features_->scratch_bytes());
    auto* newest = reinterpret_cast<float*>(scratch);
    const auto output = eval.out<float>(0);
    for (std::int64_t row = 0; row < shape_.batch; ++row) {
      std::fill_n(newest, shape_.filters, 0.0F);
      features_->accumulate(eval.in<float>(kSvdfInput).data() + row * shape_.features, 1, newest, scratch + newest_bytes);
      float* state = eval.input(kSvdfState).mutable_values<float>().data() + row * shape_.filters * shape_.memory;
      advance(newest, state, output.data() + row * shape_.units);
    }
    activate(activation_, output);
    return {};
  }

 private:
  void advance(const float* newest, float* state, float* output) const {
    for (std::int64_t filter = 0; filter < shape_.filters; ++filter) {
      float* columns = state + filter * shape_.memory;
      std::copy(columns + 1, columns + shape_.memory, columns);
      columns[shape_.memory - 1] = newest[filter];
    }
    const float* time = time_.data();
    for (std::int64_t unit = 0; unit < shape_.units; ++unit) {
      float total = 0;
      for (std::int64_t r = 0; r < shape_.rank; ++r, state += shape_.memory, time += shape_.memory) {
        float sum = 0;
        for (std::int64_t m = 0; m < shape_.memory; ++m) sum += time[m] * state[m];
        total += sum;
      }
      output[unit] = total + (bias_.empty() ? 0.0F : bias_[as_size(unit)]);
    }
  }

  SvdfShape shape_;
  std::unique_ptr<WeightMatrix> features_;
  std::vector<float> time_, bias_;
  Activation activation_;
};

}  // namespace

Result<SvdfShape> prepare_svdf_shape(PrepareContext& context, DType state, DType output) {
  VISQ_TRY(context.expect_inputs(3, 5));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_ASSIGN(const Sequence sequence, read_sequence(context, kSvdfInput, 2, true));
  VISQ_TRY(context.expect_rank(kSvdfTimeWeights, "time weights", 2));
  SvdfShape shape{.batch = sequence.batch, .features = sequence.features};
  shape.filters = context.input(kSvdfTimeWeights).shape[0];
  shape.memory = context.input(kSvdfTimeWeights).shape[1];
  shape.rank = context.attributes().integer("rank");
  if (shape.filters < 1 || shape.memory < 1) return context.fail("has {} filters with a memory of {}", shape.filters, shape.memory);
  if (shape.rank < 1 || shape.filters % shape.rank != 0) {
    return context.fail("has the rank {}, no divisor of its {} filters", shape.rank, shape.filters);
  }
  shape.units = shape.filters / shape.rank;
  VISQ_TRY(expect_shape(context, kSvdfFeatureWeights, "feature weights", {shape.filters, shape.features}));
  if (context.has_input(kSvdfBias)) VISQ_TRY(expect_shape(context, kSvdfBias, "bias", {shape.units}));
  VISQ_TRY(expect_state(context, kSvdfState, "state", state, shape.batch, context.input(kSvdfTimeWeights).elements()));
  VISQ_TRY(context.set_output(0, output, {shape.batch, shape.units}));
  return shape;
}

Result<std::unique_ptr<Kernel>> prepare_float_svdf(PrepareContext& context) {
  VISQ_ASSIGN(const SvdfShape shape, prepare_svdf_shape(context, DType::kFloat32, DType::kFloat32));
  VISQ_TRY(context.expect_type(kSvdfInput, "input", {DType::kFloat32}));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  constexpr int kFeatures[] = {kSvdfFeatureWeights};
  const bool asymmetric = context.attributes().flag("asymmetric_quantize_inputs");
  VISQ_ASSIGN(auto features, read_weights(context, kFeatures, "feature weights", asymmetric));
  VISQ_ASSIGN(auto time, read_values(context, kSvdfTimeWeights, "time weights"));
  std::vector<float> bias;
  if (context.has_input(kSvdfBias)) {
    VISQ_ASSIGN(bias, read_values(context, kSvdfBias, "bias", product_of_scales(context, kSvdfState, kSvdfTimeWeights)));
  }
  return std::unique_ptr<Kernel>(std::make_unique<FloatSvdf>(shape, std::move(features), std::move(time), std::move(bias), activation));
}

}  // namespace visq::kernels
