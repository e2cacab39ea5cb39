// Fully integer LSTMs against the formulas in double, and what fake quantization makes of them. Equality with LiteRT's results to the bit
// is the business of the stored operator cases.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "support/models/lstm_reference.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;

/// Adds codes of the values with one scale, and puts what the codes stand for in place of the values. The file may state another scale.
template <class T>
void add_codes(RecurrentModel& model, const Shape& shape, DType type, Matrix& values, float scale, float stated = 0) {
  if (values.empty()) {
    model.absent();
    return;
  }
  std::vector<T> codes;
  for (float& value : values) {
    codes.push_back(static_cast<T>(std::lround(value / scale)));
    value = static_cast<float>(codes.back()) * scale;
  }
  model.codes(shape, type, codes, {stated == 0 ? scale : stated});
}

/// A fully integer LSTM; `p` becomes what its codes stand for. The biases state a scale of their own, which nobody should believe.
RecurrentModel integer_lstm(const LstmCase& v, LstmParameters& p) {
  constexpr float kWeight = 1.0F / 127, kVector = 1.0F / 32767, kSums = 1.0F / 4096;
  const Grid input{1.0F / 127, 4}, output{1.0F / 120, -9}, hidden{1.0F / 100, 5};
  RecurrentModel model("UNIDIRECTIONAL_SEQUENCE_LSTM");
  model.input(sequence_shape(v, v.inputs), DType::kInt8, input);
  for (Matrix& gate : p.input) add_codes<std::int8_t>(model, {v.cells, v.inputs}, DType::kInt8, gate, kWeight);
  for (Matrix& gate : p.recurrent) add_codes<std::int8_t>(model, {v.cells, v.outputs}, DType::kInt8, gate, kWeight);
  for (const int gate : {0, 1, 3}) add_codes<std::int16_t>(model, {v.cells}, DType::kInt16, p.peephole[gate], kVector);
  const float bias = v.norm ? kVector / 1024 : kWeight * input.scale;
  for (Matrix& gate : p.bias) add_codes<std::int32_t>(model, {v.cells}, DType::kInt32, gate, bias, 0.5F);
  add_codes<std::int8_t>(model, {v.outputs, v.cells}, DType::kInt8, p.projection, kWeight);
  add_codes<std::int32_t>(model, {v.outputs}, DType::kInt32, p.projection_bias, kWeight * hidden.scale, 0.5F);
  model.variable({v.batch, v.outputs}, DType::kInt8, output).variable({v.batch, v.cells}, DType::kInt16, {1.0F / 2048});
  for (Matrix& gate : p.norm) add_codes<std::int16_t>(model, {v.cells}, DType::kInt16, gate, kVector);
  for (int gate = 0; gate < 4; ++gate) model.intermediate({kSums});
  model.intermediate(v.projection ? hidden : output).output(DType::kInt8, output);
  add_options(model, v);
  return model;
}

TEST(UnidirectionalSequenceLstm, IntegersStayCloseToTheFormulas) {
  Numbers numbers(9);
  const std::vector<LstmCase> cases = {{},
                                       {.coupled = true},
                                       {.peephole = true},
                                       {.norm = true},
                                       {.coupled = true, .peephole = true, .norm = true},
                                       {.outputs = 3, .projection = true},
                                       {.cell_clip = 0.2}};
  for (const bool time_major : {true, false}) {
    for (LstmCase v : cases) {
      v.steps = 3;
      v.time_major = time_major;
      LstmParameters p = parameters(v, numbers);
      auto model = integer_lstm(v, p);
      const Status started = model.start(Mode::kInteger);
      ASSERT_TRUE(started.ok()) << started.error().message;
      LstmReference reference(v, p);
      for (int record = 0; record < 2; ++record) {
        Matrix input;
        for (const auto code : numbers.integers(v.steps * v.batch * v.inputs, -100, 100)) input.push_back(static_cast<float>(code) / 127);
        const auto got = model.run({input})[0], want = reference.run(input);
        for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 0.04);
      }
    }
  }
}

TEST(UnidirectionalSequenceLstm, FakeQuantizationTakesTheBiasAsTheKernelsDo) {
  Numbers numbers(10);
  for (const bool norm : {false, true}) {
    const LstmCase v{.steps = 2, .outputs = 3, .norm = norm, .projection = true};
    LstmParameters p = parameters(v, numbers);
    auto model = integer_lstm(v, p);
    ASSERT_TRUE(model.start(Mode::kFakeQuant).ok());
    LstmReference reference(v, p);
    Matrix input;
    for (const auto code : numbers.integers(v.steps * v.batch * v.inputs, -100, 100)) input.push_back(static_cast<float>(code) / 127);
    const auto got = model.run({input})[0], want = reference.run(input);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], std::clamp(want[i], -119.0 / 120, 136.0 / 120), 0.501 / 120);
  }
}

TEST(Lstm, RefusesIntegersWithoutScalesOfTheirGates) {
  Numbers numbers(20);
  const LstmCase v{.steps = 1};
  LstmParameters p = parameters(v, numbers);
  auto model = integer_lstm(v, p);
  model.intermediate({1});
  EXPECT_THAT(model.error(Mode::kInteger), HasSubstr("has 6 intermediate tensors, expected 5"));
}

}  // namespace
}  // namespace visq::testing
