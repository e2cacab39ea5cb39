// The LSTM of five inputs: see lstm.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/as_size.h"
#include "kernels/activation.h"
#include "kernels/fixed_point/gate_functions.h"
#include "kernels/math/fixed_point.h"
#include "kernels/matrices/weight_matrix.h"
#include "kernels/recurrent/lstm.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/stored.h"

namespace visq::kernels {
namespace {

constexpr int kOutput = 1;  ///< of the step before
constexpr int kWeights = 2;
constexpr int kBias = 3;
constexpr int kState = 4;

constexpr int kNewOutput = 0;
constexpr int kNewState = 1;
constexpr int kJoined = 2;  ///< [x, h]
constexpr int kSums = 3;    ///< of the gates

struct BasicSizes {
  std::int64_t batch = 0, inputs = 0, cells = 0;
  bool keeps_output = false, keeps_state = false;  ///< variables, which the next record begins with

  std::int64_t depth() const { return inputs + cells; }
};

/// True where what this record ends with is what the next one begins with. Constants are only read.
bool is_kept(const Tensor& tensor) { return tensor.info != nullptr && tensor.info->is_variable; }

struct BasicTypes {
  DType activations = DType::kFloat32, weights = DType::kFloat32, bias = DType::kFloat32, state = DType::kFloat32;
};
constexpr BasicTypes kFloats = {};
constexpr BasicTypes kStored = {DType::kUInt8, DType::kUInt8, DType::kInt32, DType::kInt16};

Status check_operand(const PrepareContext& context, int slot, std::string_view role, DType type, const Shape& shape) {
  VISQ_TRY(expect_shape(context, slot, role, shape));
  return context.expect_type(slot, role, {type});
}

Result<BasicSizes> check_basic(PrepareContext& context, const BasicTypes& types) {
  VISQ_TRY(context.expect_outputs(4));
  VISQ_ASSIGN(const Sequence sequence, read_sequence(context, kInput, 2, true));
  VISQ_TRY(context.expect_rank(kOutput, "previous output", 2));
  BasicSizes sizes{.batch = sequence.batch, .inputs = sequence.features, .cells = context.input(kOutput).shape[1]};
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // an empty batch may come with any size
  if (sizes.cells < 1 || std::max(sizes.cells, sizes.inputs) > kLargest) {
    return context.fail("has {} cells and {} inputs", sizes.cells, sizes.inputs);
  }
  const Shape states{sizes.batch, sizes.cells};
  VISQ_TRY(context.expect_type(kInput, "input", {types.activations}));
  VISQ_TRY(check_operand(context, kOutput, "previous output", types.activations, states));
  VISQ_TRY(check_operand(context, kWeights, "weights", types.weights, {4 * sizes.cells, sizes.depth()}));
  VISQ_TRY(check_operand(context, kBias, "bias", types.bias, {4 * sizes.cells}));
  VISQ_TRY(check_operand(context, kState, "previous state", types.state, states));
  sizes.keeps_output = is_kept(context.input(kOutput));
  sizes.keeps_state = is_kept(context.input(kState));
  VISQ_TRY(context.set_output(kNewOutput, types.activations, states));
  VISQ_TRY(context.set_output(kNewState, types.state, states));
  VISQ_TRY(context.set_output(kJoined, types.activations, {sizes.batch, sizes.depth()}));
  VISQ_TRY(context.set_output(kSums, types.state, {sizes.batch, 4 * sizes.cells}));
  return sizes;
}

/// [x, h] of each row.
template <class T>
void join(const BasicSizes& sizes, EvalContext& eval) {
  const T* input = eval.in<T>(kInput).data();
  const T* output = eval.in<T>(kOutput).data();
  T* joined = eval.out<T>(kJoined).data();
  for (std::int64_t row = 0; row < sizes.batch; ++row) {
    joined = std::copy_n(input + row * sizes.inputs, sizes.inputs, joined);
    joined = std::copy_n(output + row * sizes.cells, sizes.cells, joined);
  }
}

void keep(bool kept, const Tensor& result, const Tensor& variable) {
  if (kept) std::memcpy(variable.data, result.data, as_size(result.elements()) * size_of(result.dtype));
}

void keep_states(const BasicSizes& sizes, EvalContext& eval) {
  keep(sizes.keeps_output, eval.output(kNewOutput), eval.input(kOutput));
  keep(sizes.keeps_state, eval.output(kNewState), eval.input(kState));
}

class FloatBasicLstm final : public Kernel {
 public:
  FloatBasicLstm(const BasicSizes& sizes, std::unique_ptr<WeightMatrix> weights, std::vector<float> bias)
      : sizes_(sizes), weights_(std::move(weights)), bias_(std::move(bias)) {}

  Status eval(EvalContext& eval) const override {
    join<float>(sizes_, eval);
    float* sums = eval.out<float>(kSums).data();
    for (std::int64_t row = 0; row < sizes_.batch; ++row) std::copy(bias_.begin(), bias_.end(), sums + row * 4 * sizes_.cells);
    weights_->accumulate(eval.out<float>(kJoined).data(), sizes_.batch, sums, eval.scratch(weights_->scratch_bytes()));
    for (std::int64_t row = 0; row < sizes_.batch; ++row) {
      const std::int64_t first = row * sizes_.cells;
      advance(sums + 4 * first, eval.in<float>(kState).data() + first, eval.out<float>(kNewState).data() + first,
              eval.out<float>(kNewOutput).data() + first);
    }
    keep_states(sizes_, eval);
    return {};
  }

 private:
  static float logistic(float x) { return 1.0F / (1.0F + std::exp(-x)); }

  void advance(const float* sums, const float* before, float* state, float* output) const {
    for (std::int64_t c = 0; c < sizes_.cells; ++c) {
      const float input = logistic(sums[c]), update = std::tanh(sums[sizes_.cells + c]);
      const float forget = logistic(sums[2 * sizes_.cells + c]), reveal = logistic(sums[3 * sizes_.cells + c]);
      state[c] = input * update + forget * before[c];
      output[c] = reveal * std::tanh(state[c]);
    }
  }

  BasicSizes sizes_;
  std::unique_ptr<WeightMatrix> weights_;
  std::vector<float> bias_;
};

/// uint8 activations in [-1, 127/128], sums in int16 with 3 integer bits, states with 4.
class StoredBasicLstm final : public Kernel {
 public:
  StoredBasicLstm(const BasicSizes& sizes, CodeMatrix weights, std::int32_t zero_point, std::vector<std::int32_t> bias,
                  Multiplier multiplier)
      : sizes_(sizes), weights_(std::move(weights)), zero_point_(zero_point), bias_(std::move(bias)), multiplier_(multiplier) {}

  Status eval(EvalContext& eval) const override {
    join<std::uint8_t>(sizes_, eval);
    for (std::int64_t row = 0; row < sizes_.batch; ++row) {
      const std::int64_t first = row * sizes_.cells;
      std::int16_t* sums = eval.out<std::int16_t>(kSums).data() + 4 * first;
      add_up(eval, eval.out<std::uint8_t>(kJoined).data() + row * sizes_.depth(), sums);
      advance(sums, eval.in<std::int16_t>(kState).data() + first, eval.out<std::int16_t>(kNewState).data() + first,
              eval.out<std::uint8_t>(kNewOutput).data() + first);
    }
    keep_states(sizes_, eval);
    return {};
  }

 private:
  /// The codes of weights_ are w - 128 and x is taken as x - 128, so that both are int8; the zero points are put right afterwards.
  void add_up(EvalContext& eval, const std::uint8_t* joined, std::int16_t* sums) const {
    const std::size_t rows = weights_.rows(), depth = weights_.depth();
    auto* products = reinterpret_cast<std::int32_t*>(eval.scratch(rows * sizeof(std::int32_t) + depth));
    auto* x = reinterpret_cast<std::int8_t*>(products + rows);
    std::uint32_t total = 0;
    for (std::size_t k = 0; k < depth; ++k) {
      x[k] = static_cast<std::int8_t>(joined[k] - 128);
      total += static_cast<std::uint32_t>(std::int32_t{x[k]});
    }
    weights_.multiply(x, products);
    const std::uint32_t offset = total * (static_cast<std::uint32_t>(zero_point_) - 128U);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint32_t sum = static_cast<std::uint32_t>(bias_[r]) + static_cast<std::uint32_t>(products[r]) - offset;
      sums[r] = saturate<std::int16_t>(requantize(static_cast<std::int32_t>(sum)));
    }
  }

  /// multiply(), but that ties of the second rounding go up: so the matrix product behind this operator does it.
  std::int64_t requantize(std::int32_t sum) const {
    if (multiplier_.exponent >= 0) return multiply(sum, multiplier_);
    const int shift = -multiplier_.exponent;
    return (std::int64_t{doubling_high_product(sum, multiplier_.fraction)} + (std::int64_t{1} << (shift - 1))) >> shift;
  }

  void advance(const std::int16_t* sums, const std::int16_t* before, std::int16_t* state, std::uint8_t* output) const {
    constexpr int kSumBits = 3, kStateBits = 4;
    for (std::int64_t c = 0; c < sizes_.cells; ++c) {
      const std::int16_t update = high_product(logistic_q15(sums[c]), tanh_q15(sums[sizes_.cells + c], kSumBits));
      const std::int16_t kept = high_product(logistic_q15(sums[2 * sizes_.cells + c]), before[c]);
      state[c] = saturate<std::int16_t>(rounding_shift(update, kStateBits) + kept);
      const std::int16_t revealed =
          high_product(logistic_q15(sums[3 * sizes_.cells + c]), tanh_q15(saturating_shift(state[c], kStateBits - kSumBits), kSumBits));
      output[c] = static_cast<std::uint8_t>(128 + saturate<std::int8_t>(rounding_shift(revealed, 8)));
    }
  }

  BasicSizes sizes_;
  CodeMatrix weights_;
  std::int32_t zero_point_;  ///< of the weights
  std::vector<std::int32_t> bias_;
  Multiplier multiplier_;
};

Result<std::unique_ptr<Kernel>> prepare_float(PrepareContext& context) {
  VISQ_ASSIGN(const BasicSizes sizes, check_basic(context, kFloats));
  constexpr int kMatrix[] = {kWeights};
  VISQ_ASSIGN(auto weights, read_weights(context, kMatrix, "weights", false));
  VISQ_ASSIGN(auto bias, read_values(context, kBias, "bias", product_of_scales(context, kInput, kWeights)));
  return std::unique_ptr<Kernel>(std::make_unique<FloatBasicLstm>(sizes, std::move(weights), std::move(bias)));
}

Result<std::unique_ptr<Kernel>> prepare_stored(PrepareContext& context) {
  VISQ_ASSIGN(const BasicSizes sizes, check_basic(context, kStored));
  constexpr int kStateExponent = -11;  // 4 integer bits
  for (const int slot : {kWeights, kBias}) VISQ_TRY(context.require_known(slot));
  VISQ_TRY(expect_per_tensor(context, context.input(kWeights), "the weights"));
  VISQ_TRY(expect_per_tensor(context, context.input(kBias), "the bias"));
  VISQ_TRY(expect_per_tensor(context, context.output(kNewState), "the new state"));
  if (near_power_of_two(context.output(kNewState).info->quantization.scale[0]) != kStateExponent) {
    return context.unsupported("state has the scale {}, expected 2^{}", stored_grid(context.output(kNewState)).scale, kStateExponent);
  }
  const auto stored = context.input(kWeights).values<std::uint8_t>();
  std::vector<std::int8_t> codes(stored.size());
  std::transform(stored.begin(), stored.end(), codes.begin(), [](std::uint8_t w) { return static_cast<std::int8_t>(w - 128); });
  const auto bias = context.input(kBias).values<std::int32_t>();
  const Multiplier multiplier = to_multiplier(4096 * stored_grid(context.input(kBias)).scale);
  return std::unique_ptr<Kernel>(std::make_unique<StoredBasicLstm>(sizes, CodeMatrix(std::move(codes), 4 * sizes.cells, sizes.depth()),
                                                                   stored_grid(context.input(kWeights)).zero_point,
                                                                   std::vector<std::int32_t>(bias.begin(), bias.end()), multiplier));
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_basic_lstm(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(5, 5));
  return context.input(kInput).dtype == DType::kFloat32 ? prepare_float(context) : prepare_stored(context);
}

}  // namespace visq::kernels
