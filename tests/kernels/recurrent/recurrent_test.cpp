// RNN, SVDF and GRU against naive loops in double; hybrid and integer arithmetic; fixed-point gates.
#include <gmock/gmock.h>

#include <cmath>

#include "kernels/constants/row_quantization.h"
#include "kernels/fixed_point/fixed_point_functions.h"
#include "kernels/fixed_point/gate_functions.h"
#include "support/models/heavy_reference.h"
#include "support/models/lstm_reference.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance = 1e-5) {
  expect_near({got.begin(), got.end()}, want, tolerance);
}

/// A slice of rows.
template <class T>
std::vector<double> row_of(const std::vector<T>& values, std::int64_t row, std::int64_t width) {
  return {values.begin() + row * width, values.begin() + (row + 1) * width};
}

// RNN: one direction of one cell.
struct Rnn {
  std::int64_t batch = 2, steps = 4, inputs = 3, units = 5;
  std::vector<float> input = {}, recurrent = {}, bias = {};

  void fill(Numbers& numbers) {
    input = numbers.reals(units * inputs);
    recurrent = numbers.reals(units * units);
    bias = numbers.reals(units);
  }
  /// Batch-major or time-major input; `state` goes on.
  std::vector<double> run(const std::vector<float>& x, bool time_major, bool backward, std::vector<std::vector<double>>& state) const {
    std::vector<double> outputs(static_cast<std::size_t>(steps * batch * units));
    for (std::int64_t i = 0; i < steps * batch; ++i) {
      const std::int64_t b = i % batch, t = backward ? steps - 1 - i / batch : i / batch;
      const std::int64_t row = time_major ? t * batch + b : b * steps + t;
      auto& h = state[static_cast<std::size_t>(b)];
      const auto from_input = product(widen(input), row_of(x, row, inputs)), from_state = product(widen(recurrent), h);
      for (std::size_t n = 0; n < h.size(); ++n) h[n] = std::tanh(from_input[n] + from_state[n] + static_cast<double>(bias[n]));
      std::copy(h.begin(), h.end(), outputs.begin() + row * units);
    }
    return outputs;
  }
  std::vector<std::vector<double>> zero_state() const {
    return std::vector<std::vector<double>>(static_cast<std::size_t>(batch), std::vector<double>(static_cast<std::size_t>(units)));
  }
  void add(RecurrentModel& model) const {
    model.constant({units, inputs}, input).constant({units, units}, recurrent).constant({units}, bias).variable({batch, units});
  }
};

Shape shape_of(const Rnn& rnn, bool time_major) {
  return time_major ? Shape{rnn.steps, rnn.batch, rnn.inputs} : Shape{rnn.batch, rnn.steps, rnn.inputs};
}

TEST(UnidirectionalSequenceRnn, AgreesWithLoopsInBothOrders) {
  Numbers numbers(11);
  for (const bool time_major : {true, false}) {
    Rnn rnn;
    rnn.fill(numbers);
    RecurrentModel model("UNIDIRECTIONAL_SEQUENCE_RNN");
    model.input(shape_of(rnn, time_major));
    rnn.add(model);
    model.option("fused_activation_function", std::string("TANH")).option("time_major", time_major).output();
    ASSERT_TRUE(model.start(Mode::kFp32).ok());
    auto state = rnn.zero_state();
    for (int record = 0; record < 2; ++record) {
      const auto x = numbers.reals(rnn.steps * rnn.batch * rnn.inputs);
      expect_close(model.run({x})[0], rnn.run(x, time_major, false, state));
    }
  }
}

TEST(Rnn, RunsOneStepAndKeepsItsState) {
  Numbers numbers(12);
  Rnn rnn{.steps = 1};
  rnn.fill(numbers);
  RecurrentModel model("RNN");
  model.input({rnn.batch, rnn.inputs});
  rnn.add(model);
  model.option("fused_activation_function", std::string("TANH")).output();
  ASSERT_TRUE(model.start(Mode::kFp32).ok());
  auto state = rnn.zero_state();
  for (int record = 0; record < 3; ++record) {
    const auto x = numbers.reals(rnn.batch * rnn.inputs);
    expect_close(model.run({x})[0], rnn.run(x, true, false, state));
  }
}

TEST(BidirectionalSequenceRnn, MergesItsOutputs) {
  Numbers numbers(13);
  Rnn forward, backward{.units = 2};
  forward.fill(numbers);
  backward.fill(numbers);
  for (const bool merged : {true, false}) {
    RecurrentModel model("BIDIRECTIONAL_SEQUENCE_RNN");
    model.input(shape_of(forward, false));
    forward.add(model);
    backward.add(model);
    model.absent(3).option("fused_activation_function", std::string("TANH")).option("merge_outputs", merged).output();
    if (!merged) model.output();
    ASSERT_TRUE(model.start(Mode::kFp32).ok());
    auto state = forward.zero_state(), other_state = backward.zero_state();
    const auto x = numbers.reals(forward.steps * forward.batch * forward.inputs);
    const auto left = forward.run(x, false, false, state), right = backward.run(x, false, true, other_state);
    const auto got = model.run({x});
    if (!merged) {
      expect_close(got[0], left);
      expect_close(got[1], right);
      continue;
    }
    std::vector<double> joined;
    for (std::int64_t row = 0; row < forward.steps * forward.batch; ++row) {
      for (const double value : row_of(left, row, forward.units)) joined.push_back(value);
      for (const double value : row_of(right, row, backward.units)) joined.push_back(value);
    }
    expect_close(got[0], joined);
    EXPECT_EQ(model.output_shape(0), (Shape{2, 4, 7}));
  }
}

TEST(Rnn, RefusesShapesThatDoNotFit) {
  Numbers numbers(14);
  const auto message = [&](Shape weights, Shape recurrent, Shape state) {
    RecurrentModel model("RNN");
    model.input({2, 3}).constant(weights, numbers.reals(weights.elements())).constant(recurrent, numbers.reals(recurrent.elements()));
    return model.constant({5}, numbers.reals(5)).variable(std::move(state)).output().error();
  };
  EXPECT_THAT(message({5, 4}, {5, 5}, {2, 5}), HasSubstr("input weights (input 1) has the shape [5, 4], expected [5, 3]"));
  EXPECT_THAT(message({5, 3}, {5, 4}, {2, 5}), HasSubstr("recurrent weights (input 2) has the shape [5, 4], expected [5, 5]"));
  EXPECT_THAT(message({5, 3}, {5, 5}, {2, 4}), HasSubstr("hidden state (input 4) has 8 elements, expected 2 * 5"));
  EXPECT_EQ(message({5, 3}, {5, 5}, {2, 5}), "");
}

// Hybrid: float activations, int8 weights.
struct HybridWeights {
  float scale = 0.01F;
  std::vector<std::int8_t> codes = {};
};

HybridWeights hybrid_weights(Numbers& numbers, std::int64_t count) {
  HybridWeights weights;
  for (const auto code : numbers.integers(count, -127, 127)) weights.codes.push_back(static_cast<std::int8_t>(code));
  return weights;
}

/// weights * x, x rounded to 255 steps as the option says.
std::vector<double> hybrid_product(const HybridWeights& weights, const std::vector<double>& x, bool asymmetric) {
  double low = 0, high = 0;
  for (const double value : x) low = std::min(low, value), high = std::max(high, value);
  const double largest = std::max(-low, high);
  const double scale = asymmetric ? (high - low) / 255 : largest / 127;
  std::vector<double> rounded(x.size());
  for (std::size_t i = 0; scale > 0 && i < x.size(); ++i) {
    const double zero = asymmetric ? std::round(-128 - low / scale) : 0;  // to one step where the upper end is the better one
    rounded[i] = (std::clamp(std::round(x[i] / scale + zero), asymmetric ? -128.0 : -127.0, 127.0) - zero) * scale;
  }
  auto sums = product(widen(weights.codes), rounded);
  for (double& sum : sums) sum *= static_cast<double>(weights.scale);
  return sums;
}

TEST(UnidirectionalSequenceRnn, QuantizesRowsOnTheFlyForInt8Weights) {
  Numbers numbers(15);
  constexpr std::int64_t kInputs = 20, kUnits = 6, kSteps = 5;
  const auto input = hybrid_weights(numbers, kUnits * kInputs), recurrent = hybrid_weights(numbers, kUnits * kUnits);
  for (const bool asymmetric : {false, true}) {
    RecurrentModel model("UNIDIRECTIONAL_SEQUENCE_RNN");
    model.input({kSteps, 1, kInputs});
    model.codes({kUnits, kInputs}, DType::kInt8, input.codes, {input.scale});
    model.codes({kUnits, kUnits}, DType::kInt8, recurrent.codes, {recurrent.scale});
    model.constant({kUnits}, std::vector<float>(kUnits, 0.5F)).variable({1, kUnits}).output();
    model.option("time_major", true).option("fused_activation_function", std::string("TANH"));
    model.option("asymmetric_quantize_inputs", asymmetric);
    ASSERT_TRUE(model.start(Mode::kInteger).ok());
    const auto x = numbers.reals(kSteps * kInputs);
    std::vector<double> h(kUnits), want;
    for (std::int64_t t = 0; t < kSteps; ++t) {
      const auto from_input = hybrid_product(input, row_of(x, t, kInputs), asymmetric);
      const auto from_state = hybrid_product(recurrent, h, asymmetric);
      for (std::size_t n = 0; n < h.size(); ++n) h[n] = std::tanh(from_input[n] + from_state[n] + 0.5);
      want.insert(want.end(), h.begin(), h.end());
    }
    expect_close(model.run({x})[0], want, asymmetric ? 0.02 : 1e-5);
  }
}

TEST(Hybrid, SpreadsTheRangeOfARowOverTheCodes) {
  std::int16_t centered[4];
  const std::vector<float> values = {-1, 0.6F, 0, 2}, zeros(4);
  auto grid = kernels::center_row(values.data(), values.size(), false, centered);
  EXPECT_FLOAT_EQ(grid.scale, 2.0F / 127);
  EXPECT_THAT(centered, ElementsAre(-64, 38, 0, 127));
  grid = kernels::center_row(values.data(), values.size(), true, centered);
  EXPECT_FLOAT_EQ(grid.scale, 3.0F / 255);
  EXPECT_EQ(grid.zero_point, -43);
  EXPECT_THAT(centered, ElementsAre(-85, 51, 0, 170));
  const std::vector<float> strange = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1, 1};
  for (const bool asymmetric : {false, true}) {
    EXPECT_EQ(kernels::center_row(zeros.data(), zeros.size(), asymmetric, centered).scale, 1);
    EXPECT_THAT(centered, ElementsAre(0, 0, 0, 0));
    kernels::center_row(strange.data(), strange.size(), asymmetric, centered);  // defined, whatever it gives
  }
}

// SVDF
struct Svdf {
  std::int64_t batch = 2, features = 4, units = 3, rank = 2, memory = 5;
  std::int64_t filters() const { return units * rank; }
};

/// The filters remember their last `memory` inputs.
class SvdfReference {
 public:
  SvdfReference(const Svdf& s, std::vector<double> features, std::vector<double> time, std::vector<double> bias)
      : s_(s), features_(std::move(features)), time_(std::move(time)), bias_(std::move(bias)) {}

  template <class T>
  std::vector<double> run(const std::vector<T>& x) {
    past_.insert(past_.begin(), {x.begin(), x.end()});
    std::vector<double> outputs;
    for (std::int64_t b = 0; b < s_.batch; ++b) {
      std::vector<double> results = bias_;
      for (std::size_t age = 0; age < past_.size() && age < static_cast<std::size_t>(s_.memory); ++age) {
        const auto filters = product(features_, row_of(past_[age], b, s_.features));
        for (std::int64_t f = 0; f < s_.filters(); ++f) {
          const auto weight = time_[static_cast<std::size_t>((f + 1) * s_.memory - 1) - age];
          results[static_cast<std::size_t>(f / s_.rank)] += weight * filters[static_cast<std::size_t>(f)];
        }
      }
      outputs.insert(outputs.end(), results.begin(), results.end());
    }
    return outputs;
  }

 private:
  Svdf s_;
  std::vector<double> features_, time_, bias_;
  std::vector<std::vector<double>> past_;
};

TEST(Svdf, RemembersAsManyRecordsAsItHasMemory) {
  Numbers numbers(16);
  for (const std::int64_t rank : {1, 2, 3}) {
    const Svdf s{.rank = rank};
    const auto features = numbers.reals(s.filters() * s.features), time = numbers.reals(s.filters() * s.memory);
    const auto bias = numbers.reals(s.units);
    RecurrentModel model("SVDF");
    model.input({s.batch, s.features}).constant({s.filters(), s.features}, features).constant({s.filters(), s.memory}, time);
    model.constant({s.units}, bias).variable({s.batch, s.filters() * s.memory}).option("rank", rank).output();
    ASSERT_TRUE(model.start(Mode::kFp32).ok());
    SvdfReference reference(s, widen(features), widen(time), widen(bias));
    for (int record = 0; record < 8; ++record) {
      const auto x = numbers.reals(s.batch * s.features);
      expect_close(model.run({x})[0], reference.run(x));
    }
  }
}

template <class T>
std::vector<T> codes_of(Numbers& numbers, std::int64_t count, std::int64_t limit) {
  const auto integers = numbers.integers(count, -limit, limit);
  return {integers.begin(), integers.end()};
}

std::vector<double> scaled(auto values, double scale) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value *= scale;
  return result;
}

/// Integer runs stay within a step of the output, plus what rounding the state brings in.
template <class T>
void expect_integer_svdf(DType type, std::int64_t limit, Grid state, double tolerance) {
  Numbers numbers(17);
  const Svdf s;
  const Grid input{0.01F, 3}, output{0.02F, -5};
  const float time_scale = 0.5F / static_cast<float>(limit);
  const auto features = codes_of<std::int8_t>(numbers, s.filters() * s.features, 127);
  const auto time = codes_of<T>(numbers, s.filters() * s.memory, limit);
  const double bias_scale = static_cast<double>(time_scale) * static_cast<double>(state.scale);
  const std::vector<std::int32_t> bias = {static_cast<std::int32_t>(0.3 / bias_scale), 0, static_cast<std::int32_t>(-0.5 / bias_scale)};
  RecurrentModel model("SVDF");
  model.input({s.batch, s.features}, DType::kInt8, input).codes({s.filters(), s.features}, DType::kInt8, features, {0.005F});
  model.codes({s.filters(), s.memory}, type, time, {time_scale}).codes({s.units}, DType::kInt32, bias, {static_cast<float>(bias_scale)});
  model.variable({s.batch, s.filters() * s.memory}, type, state).output(DType::kInt8, output);
  model.option("rank", s.rank).option("fused_activation_function", std::string("RELU"));
  const Status started = model.start(Mode::kInteger);
  ASSERT_TRUE(started.ok()) << started.error().message;
  SvdfReference reference(s, scaled(features, 0.005), scaled(time, static_cast<double>(time_scale)), scaled(bias, bias_scale));
  for (int record = 0; record < 8; ++record) {
    std::vector<float> x;
    for (const auto code : numbers.integers(s.batch * s.features, -100, 100)) x.push_back(0.01F * static_cast<float>(code));
    const auto got = model.run({x})[0];
    const auto want = reference.run(x);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], std::clamp(want[i], -2.46, 2.64), tolerance);
  }
}

TEST(Svdf, IntegersWithAnInt16State) { expect_integer_svdf<std::int16_t>(DType::kInt16, 32767, {0.0001F}, 0.011); }

TEST(Svdf, IntegersWithAnInt8State) { expect_integer_svdf<std::int8_t>(DType::kInt8, 127, {0.025F, 7}, 0.06); }

TEST(Svdf, RefusesARankThatDoesNotDivide) {
  const auto message = [](std::int64_t rank) {
    RecurrentModel model("SVDF");
    model.input({1, 2}).constant({4, 2}, std::vector<float>(8)).constant({4, 3}, std::vector<float>(12)).absent().variable({1, 12});
    return model.option("rank", rank).output().error();
  };
  EXPECT_THAT(message(3), HasSubstr("has the rank 3, no divisor of its 4 filters"));
  EXPECT_THAT(message(0), HasSubstr("has the rank 0"));
  EXPECT_EQ(message(2), "");
}

// GRU
struct GruCase {
  bool swapped = false;  ///< the recurrent pair stands first
  std::int64_t steps = 4, inputs = 3, units = 5;
};

TEST(Gru, AgreesWithLoops) {
  Numbers numbers(18);
  for (const GruCase& g : {GruCase{}, GruCase{.swapped = true}, GruCase{.inputs = 40, .units = 33}}) {
    const auto input = numbers.reals(3 * g.units * g.inputs), recurrent = numbers.reals(3 * g.units * g.units);
    const auto input_bias = numbers.reals(3 * g.units), recurrent_bias = numbers.reals(3 * g.units), state = numbers.reals(g.units);
    RecurrentModel model("GRU");
    model.input({g.steps, 1, g.inputs});
    if (g.swapped) model.constant({3 * g.units, g.units}, recurrent).constant({3 * g.units}, recurrent_bias);
    model.constant({3 * g.units, g.inputs}, input).constant({3 * g.units}, input_bias);
    if (!g.swapped) model.constant({3 * g.units, g.units}, recurrent).constant({3 * g.units}, recurrent_bias);
    model.constant({1, g.units}, state).output();
    ASSERT_TRUE(model.start(Mode::kFp32).ok());
    const auto x = numbers.reals(g.steps * g.inputs);
    std::vector<double> h(state.begin(), state.end());
    for (std::int64_t t = 0; t < g.steps; ++t) {
      auto xs = product(widen(input), row_of(x, t, g.inputs)), hs = product(widen(recurrent), h);
      for (std::size_t i = 0; i < xs.size(); ++i)
        xs[i] += static_cast<double>(input_bias[i]), hs[i] += static_cast<double>(recurrent_bias[i]);
      for (std::size_t i = 0; i < h.size(); ++i) {
        const double z = logistic(xs[i] + hs[i]), r = logistic(xs[h.size() + i] + hs[h.size() + i]);
        h[i] = z * h[i] + (1 - z) * std::tanh(xs[2 * h.size() + i] + r * hs[2 * h.size() + i]);
      }
    }
    for (int record = 0; record < 2; ++record) expect_close(model.run({x})[0], h);  // the state is an input, it does not go on
    EXPECT_EQ(model.output_shape(0), (Shape{1, g.units}));
  }
}

// Fixed-point functions of integer LSTMs
TEST(GateFunctions, AreCloseToTheRealOnes) {
  for (int raw = -32768; raw <= 32767; ++raw) {
    const auto q = static_cast<std::int16_t>(raw);
    EXPECT_NEAR(kernels::logistic_q15(q), 32768 * logistic(raw / 4096.0), 24) << raw;
    for (const int bits : {0, 3, 4, 6}) {
      EXPECT_NEAR(kernels::tanh_q15(q, bits), 32768 * std::tanh(std::ldexp(raw, bits - 15)), 40) << raw << " with " << bits;
    }
  }
}

TEST(GateFunctions, InverseSquareRoots) {
  for (const std::int32_t value : {2, 3, 4, 10, 999, 65536, 1 << 20, (1 << 29) - 1, 1 << 29, 2000000000}) {
    const kernels::Multiplier inverse = kernels::inverse_square_root(value);
    const double found = std::ldexp(inverse.fraction, inverse.exponent - 31);
    EXPECT_NEAR(found * std::sqrt(value), 1, 2e-6) << value;
  }
  EXPECT_EQ(kernels::inverse_square_root(1).fraction, 2147483647);
}

}  // namespace
}  // namespace visq::testing
