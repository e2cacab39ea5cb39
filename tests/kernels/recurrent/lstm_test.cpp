// LSTM, its sequence forms and the kernel of five inputs, against the formulas in double; states that go on; what Prepare refuses.
#include <gmock/gmock.h>

#include <cmath>

#include "support/models/heavy_reference.h"
#include "support/models/lstm_reference.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;

void add_gates(RecurrentModel& model, const Matrix (&gates)[4], const Shape& shape, bool without_cell = false) {
  for (int gate = 0; gate < 4; ++gate) {
    if (without_cell && gate == 2) continue;
    if (gates[gate].empty()) {
      model.absent();
    } else {
      model.constant(shape, gates[gate]);
    }
  }
}

/// Weights of one cell, up to the projection.
void add_cell(RecurrentModel& model, const LstmCase& v, const LstmParameters& p) {
  add_gates(model, p.input, {v.cells, v.inputs});
  add_gates(model, p.recurrent, v.diagonal ? Shape{v.cells} : Shape{v.cells, v.outputs});
  add_gates(model, p.peephole, {v.cells}, true);
  add_gates(model, p.bias, {v.cells});
  if (v.projection) {
    model.constant({v.outputs, v.cells}, p.projection).constant({v.outputs}, p.projection_bias);
  } else {
    model.absent(2);
  }
}

void add_states(RecurrentModel& model, const LstmCase& v) { model.variable({v.batch, v.outputs}).variable({v.batch, v.cells}); }

RecurrentModel one_way(const LstmCase& v, const LstmParameters& p, bool sequence) {
  RecurrentModel model(sequence ? "UNIDIRECTIONAL_SEQUENCE_LSTM" : "LSTM");
  model.input(sequence ? sequence_shape(v, v.inputs) : Shape{v.batch, v.inputs});
  add_cell(model, v, p);
  add_states(model, v);
  add_gates(model, p.norm, {v.cells});
  add_options(model, v);
  model.output();
  return model;
}

/// Runs two records, the second of which begins where the first one ended.
void expect_reference(RecurrentModel& model, const LstmCase& v, const LstmParameters& p, Numbers& numbers) {
  const Status started = model.start(Mode::kFp32);
  ASSERT_TRUE(started.ok()) << started.error().message;
  LstmReference reference(v, p);
  for (int record = 0; record < 2; ++record) {
    const auto input = numbers.reals(v.steps * v.batch * v.inputs);
    const auto got = model.run({input})[0];
    expect_near({got.begin(), got.end()}, reference.run(input), 1e-5);
  }
}

std::vector<LstmCase> variants() {
  return {{},
          {.coupled = true},
          {.peephole = true},
          {.coupled = true, .peephole = true},
          {.norm = true},
          {.outputs = 3, .projection = true},
          {.outputs = 9, .projection = true, .projection_clip = 0.3},
          {.cell_clip = 0.2},
          {.activation = "RELU6"},
          {.batch = 3, .inputs = 33, .cells = 50, .outputs = 40, .coupled = true, .peephole = true, .norm = true, .projection = true}};
}

TEST(Lstm, AgreesWithTheFormulas) {
  Numbers numbers(1);
  for (const LstmCase& v : variants()) {
    const LstmParameters p = parameters(v, numbers);
    auto model = one_way(v, p, false);
    expect_reference(model, v, p, numbers);
    EXPECT_EQ(model.output_shape(0), (Shape{v.batch, v.outputs}));
  }
}

TEST(UnidirectionalSequenceLstm, AgreesWithTheFormulasInBothOrders) {
  Numbers numbers(2);
  for (const bool time_major : {true, false}) {
    for (LstmCase v : variants()) {
      v.steps = 4;
      v.time_major = time_major;
      const LstmParameters p = parameters(v, numbers);
      auto model = one_way(v, p, true);
      expect_reference(model, v, p, numbers);
      EXPECT_EQ(model.output_shape(0), sequence_shape(v, v.outputs));
    }
  }
}

TEST(UnidirectionalSequenceLstm, TakesDiagonalRecurrentWeights) {
  Numbers numbers(3);
  const LstmCase v{.steps = 3, .diagonal = true};
  const LstmParameters p = parameters(v, numbers);
  auto model = one_way(v, p, true);
  expect_reference(model, v, p, numbers);
}

TEST(UnidirectionalSequenceLstm, LongSequencesAreProjectedInParts) {
  Numbers numbers(4);
  const LstmCase v{.batch = 1, .steps = 700, .inputs = 3, .cells = 30, .outputs = 30, .coupled = true};
  const LstmParameters p = parameters(v, numbers);
  auto model = one_way(v, p, true);
  expect_reference(model, v, p, numbers);
}

enum class Aux { kNone, kWeighted, kInPlaceOfTheInput };

struct TwoWays {
  LstmCase forward = {}, backward = {};
  LstmParameters forward_parameters = {}, backward_parameters = {};
  bool merged = false;
  Aux aux = Aux::kNone;
};

RecurrentModel two_ways(const TwoWays& t) {
  RecurrentModel model("BIDIRECTIONAL_SEQUENCE_LSTM");
  model.input(sequence_shape(t.forward, t.forward.inputs));
  add_cell(model, t.forward, t.forward_parameters);
  add_cell(model, t.backward, t.backward_parameters);
  add_states(model, t.forward);
  add_states(model, t.backward);
  if (t.aux == Aux::kNone) {
    model.absent(9);
  } else {
    const std::int64_t features = t.aux == Aux::kWeighted ? t.forward.aux_inputs : t.forward.inputs;
    model.input(sequence_shape(t.forward, features));
    add_gates(model, t.forward_parameters.aux, {t.forward.cells, t.forward.aux_inputs});
    add_gates(model, t.backward_parameters.aux, {t.backward.cells, t.backward.aux_inputs});
  }
  add_options(model, t.forward);
  model.option("merge_outputs", t.merged).output();
  if (!t.merged) model.output();
  return model;
}

/// [rows, a] and [rows, b] as [rows, a + b].
std::vector<double> side_by_side(const std::vector<double>& left, const std::vector<double>& right, std::size_t rows) {
  std::vector<double> joined;
  const auto a = static_cast<std::ptrdiff_t>(left.size() / rows), b = static_cast<std::ptrdiff_t>(right.size() / rows);
  for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(rows); ++row) {
    joined.insert(joined.end(), left.begin() + row * a, left.begin() + (row + 1) * a);
    joined.insert(joined.end(), right.begin() + row * b, right.begin() + (row + 1) * b);
  }
  return joined;
}

void expect_two_ways(const TwoWays& t, Numbers& numbers) {
  auto model = two_ways(t);
  const Status started = model.start(Mode::kFp32);
  ASSERT_TRUE(started.ok()) << started.error().message;
  LstmReference forward(t.forward, t.forward_parameters), backward(t.backward, t.backward_parameters);
  const std::int64_t rows = t.forward.steps * t.forward.batch;
  for (int record = 0; record < 2; ++record) {
    std::vector<Matrix> inputs = {numbers.reals(rows * t.forward.inputs)};
    if (t.aux != Aux::kNone) inputs.push_back(numbers.reals(rows * (t.aux == Aux::kWeighted ? t.forward.aux_inputs : t.forward.inputs)));
    const auto got = model.run(inputs);
    const auto weighted = t.aux == Aux::kWeighted ? inputs[1] : Matrix();
    std::vector<std::vector<double>> want = {forward.run(inputs[0], weighted),
                                             backward.run(t.aux == Aux::kInPlaceOfTheInput ? inputs[1] : inputs[0], weighted)};
    if (t.merged) want = {side_by_side(want[0], want[1], static_cast<std::size_t>(rows))};
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_near({got[i].begin(), got[i].end()}, want[i], 1e-5);
  }
}

TEST(BidirectionalSequenceLstm, AgreesWithTwoCells) {
  Numbers numbers(5);
  for (const bool time_major : {true, false}) {
    for (const bool merged : {true, false}) {
      for (const Aux aux : {Aux::kNone, Aux::kWeighted, Aux::kInPlaceOfTheInput}) {
        TwoWays t{.merged = merged, .aux = aux};
        t.forward = {.steps = 3, .outputs = 4, .projection = true, .time_major = time_major, .aux_inputs = aux == Aux::kWeighted ? 6 : 0};
        t.backward = {.steps = 3, .cells = 6, .outputs = 6, .coupled = true, .peephole = true, .time_major = time_major, .backward = true};
        t.backward.aux_inputs = t.forward.aux_inputs;
        t.forward_parameters = parameters(t.forward, numbers);
        t.backward_parameters = parameters(t.backward, numbers);
        expect_two_ways(t, numbers);
      }
    }
  }
}

TEST(Lstm, TheKernelOfFiveInputs) {
  Numbers numbers(6);
  constexpr std::int64_t kInputs = 3, kCells = 4;
  const auto weights = numbers.reals(4 * kCells * (kInputs + kCells)), bias = numbers.reals(4 * kCells);
  RecurrentModel model("LSTM");
  model.input({1, kInputs}).variable({1, kCells}).constant({4 * kCells, kInputs + kCells}, weights).constant({4 * kCells}, bias);
  model.variable({1, kCells}).option("kernel_type", std::string("BASIC")).output().output().output().output();
  ASSERT_TRUE(model.start(Mode::kFp32).ok());
  std::vector<double> h(kCells), c(kCells);
  for (int record = 0; record < 2; ++record) {
    const auto input = numbers.reals(kInputs);
    std::vector<double> joined(input.begin(), input.end());
    joined.insert(joined.end(), h.begin(), h.end());
    const auto sums = add_bias(product(widen(weights), joined), widen(bias));
    for (std::size_t n = 0; n < kCells; ++n) {
      c[n] = logistic(sums[n]) * std::tanh(sums[kCells + n]) + logistic(sums[2 * kCells + n]) * c[n];
      h[n] = logistic(sums[3 * kCells + n]) * std::tanh(c[n]);
    }
    const auto got = model.run({input});
    const std::vector<double> want[] = {h, c, joined, sums};
    for (std::size_t i = 0; i < 4; ++i) expect_near({got[i].begin(), got[i].end()}, want[i], 1e-5);
  }
}

TEST(Lstm, RefusesTensorsThatDoNotFit) {
  Numbers numbers(7);
  const auto message = [&](LstmCase v, const auto& change) {
    LstmParameters p = parameters(v, numbers);
    change(v, p);
    return one_way(v, p, false).error();
  };
  EXPECT_THAT(message({}, [](LstmCase&, LstmParameters& p) { p.recurrent[0].clear(); }), HasSubstr("recurrent weights of the input gate"));
  EXPECT_THAT(message({.coupled = true}, [](LstmCase& v, LstmParameters& p) { p.bias[0].resize(static_cast<std::size_t>(v.cells)); }),
              HasSubstr("belongs to an input gate, whose weights are absent"));
  EXPECT_THAT(message({.peephole = true}, [](LstmCase&, LstmParameters& p) { p.peephole[3].clear(); }),
              HasSubstr("none of the output gate"));
  EXPECT_THAT(message({.norm = true}, [](LstmCase&, LstmParameters& p) { p.norm[2].clear(); }),
              HasSubstr("norm of the cell gate (input 22) is absent"));
  EXPECT_THAT(message({}, [](LstmCase& v, LstmParameters&) { v.cell_clip = -1; }), HasSubstr("cell_clip is -1"));
  EXPECT_THAT(message({.outputs = 3}, [](LstmCase&, LstmParameters&) {}), HasSubstr("7 cells and 3 outputs, but no projection"));
  EXPECT_THAT(RecurrentModel("LSTM").input({2, 5}).output().error(), HasSubstr("has 1 inputs, expected 20 or 24"));
}

TEST(Lstm, RefusesStatesThatAreNoVariablesOrOfAnotherSize) {
  Numbers numbers(8);
  const LstmCase v;
  const LstmParameters p = parameters(v, numbers);
  for (const bool variable : {true, false}) {
    RecurrentModel model("LSTM");
    model.input({v.batch, v.inputs});
    add_cell(model, v, p);
    if (variable) {
      model.variable({v.batch, v.outputs + 1});
    } else {
      model.constant({v.batch, v.outputs}, numbers.reals(v.batch * v.outputs));
    }
    model.variable({v.batch, v.cells}).output();
    EXPECT_THAT(model.error(), HasSubstr(variable ? "output state (input 18) has 16 elements, expected 2 * 7" : "is no variable tensor"));
  }
}

}  // namespace
}  // namespace visq::testing
