// Where errors come from, on models small enough to be computed by plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/models/heavy_reference.h"
#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/compare.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;
using Values = std::vector<double>;

constexpr std::int64_t kSize = 16;
constexpr int kRecords = 3;

CompareOptions with_origin(std::int64_t records = kRecords, int threads = 1) {
  CompareOptions options;
  options.records = {0, records};
  options.threads = threads;
  options.origin = true;
  return options;
}

CompareResult origins(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, MemorySource data,
                      const CompareOptions& options = with_origin()) {
  auto result = compare(std::move(reference), std::move(quantized), data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : CompareResult{};
}

const MapComparison& map_named(const CompareResult& result, std::string_view name) {
  const auto found = std::find_if(result.maps.begin(), result.maps.end(), [&](const auto& map) { return map.reference.name == name; });
  EXPECT_NE(found, result.maps.end()) << name;
  return *found;
}

/// A grid of int8 values.
struct Int8Grid {
  float scale = 0;
  int zero_point = 0;
  double low() const { return static_cast<double>(scale) * (-128 - zero_point); }
  double high() const { return static_cast<double>(scale) * (127 - zero_point); }
  Values round(const Values& values) const {
    Values out;
    for (const double value : values) out.push_back(std::clamp(std::round(value / scale) * scale, low(), high()));
    return out;
  }
};

/// As near as sums over short float32 blocks are.
void expect_equal(double value, double expected) { EXPECT_NEAR(value, expected, 1e-6 * std::fabs(expected)); }

double wave(std::int64_t i, double step) { return std::sin(static_cast<double>(i + 1) * step); }

Values input_of(int record) {
  Values values;
  for (std::int64_t i = 0; i < kSize; ++i) values.push_back(static_cast<float>(3 * wave(i, 0.37 * (record + 1))));
  return values;
}

MemorySource records(const std::function<Values(int)>& make = input_of) {
  std::vector<Array> arrays;
  for (int r = 0; r < kRecords; ++r) {
    const Values values = make(r);
    arrays.push_back(float_array({1, kSize}, {values.begin(), values.end()}));
  }
  return MemorySource(std::move(arrays));
}

/// A square matrix, as float and as stored integers of one scale.
struct Matrix {
  std::vector<float> real;
  std::vector<std::int8_t> codes;
  float scale = 0;

  Values times(const Values& x, bool stored) const {
    if (!stored) return testing::product(testing::widen(real), x);
    Values y = testing::product(testing::widen(codes), x);
    for (double& value : y) value *= static_cast<double>(scale);
    return y;
  }
};

Matrix matrix(double step, float scale) {
  Matrix made;
  made.scale = scale;
  for (std::int64_t i = 0; i < kSize * kSize; ++i) {
    made.real.push_back(static_cast<float>(0.4 * wave(i, step)));
    made.codes.push_back(static_cast<std::int8_t>(std::lround(made.real.back() / scale)));
  }
  return made;
}

/// in -> a -> b, two matrices.
struct Chain {
  Matrix first = matrix(0.71, 0.01F), second = matrix(1.13, 0.008F);
  Int8Grid in{0.03F, 4}, a{0.05F, -3}, b{0.02F, 10};  // b reaches from -2.76 to 2.34 and clips

  std::shared_ptr<const Model> model(bool quantized) const {
    SmallModel model(quantized ? "q.tflite" : "f.tflite");
    const auto map = [&](const char* name, Int8Grid grid) {
      return quantized && grid.scale != 0 ? model.quantized_map(name, {1, kSize}, DType::kInt8, grid.scale, grid.zero_point)
                                          : model.map(name, {1, kSize});
    };
    const auto weights = [&](const char* name, const Matrix& m) {
      return quantized ? model.constant_int8(name, {kSize, kSize}, m.codes, {m.scale}) : model.constant(name, {kSize, kSize}, m.real);
    };
    const int maps[] = {map("in", in), map("a", a), map("b", b)};
    model.op("FULLY_CONNECTED", {maps[0], weights("w", first), -1}, {maps[1]});
    model.op("FULLY_CONNECTED", {maps[1], weights("v", second), -1}, {maps[2]});
    return model.finish({maps[0]}, {maps[2]});
  }
};

/// Mean of squared differences over records.
class Mean {
 public:
  void add(const Values& x, const Values& y, const std::function<bool(std::size_t)>& counts = {}) {
    for (std::size_t i = 0; i < x.size(); ++i) sum_ += !counts || counts(i) ? (x[i] - y[i]) * (x[i] - y[i]) : 0;
    count_ += x.size();
  }
  double root() const { return std::sqrt(sum_ / static_cast<double>(count_)); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

TEST(Origin, ErrorsAndTheirPartsEqualAnIndependentComputation) {
  const Chain chain;
  Mean accumulated, created, inherited, weights, rounding, clipping;
  for (int r = 0; r < kRecords; ++r) {
    const Values x = input_of(r), fa = chain.first.times(x, false), f = chain.second.times(fa, false);
    const Values qa = chain.a.round(chain.first.times(chain.in.round(x), true));
    const Values q = chain.b.round(chain.second.times(qa, true)), u = chain.second.times(fa, true), y = chain.b.round(u);
    const auto outside = [&](std::size_t i) { return u[i] < chain.b.low() || u[i] > chain.b.high(); };
    accumulated.add(q, f);
    created.add(y, f);
    inherited.add(chain.second.times(qa, false), f);
    weights.add(u, f);
    clipping.add(y, u, outside);
    rounding.add(y, u, [&](std::size_t i) { return !outside(i); });
  }
  const CompareResult result = origins(chain.model(false), chain.model(true), records());
  const ErrorOrigin& b = *map_named(result, "b").origin;
  const auto near = [](double value, double expected) { EXPECT_NEAR(value, expected, 1e-4 * expected); };
  near(b.errors.accumulated, accumulated.root());
  near(b.errors.created, created.root());
  near(b.errors.inherited, inherited.root());
  near(b.weight_rounding, weights.root());
  near(b.output_rounding, rounding.root());
  near(b.output_clipping, clipping.root());
  EXPECT_GT(b.output_clipping, b.output_rounding) << "the case is meant to clip";
  EXPECT_EQ(b.inner_rounding, 0);
  near(b.in_roundings->created, created.root() / 0.02 * std::sqrt(12));
  const double interaction = std::pow(accumulated.root(), 2) - std::pow(created.root(), 2) - std::pow(inherited.root(), 2);
  EXPECT_NEAR(b.interaction, interaction, 1e-4 * std::pow(accumulated.root(), 2));
  EXPECT_EQ(b.inputs, std::vector<int>{1});
  EXPECT_EQ(b.not_computed, "");

  const ErrorOrigin& in = *map_named(result, "in").origin;
  expect_equal(in.errors.created, in.errors.accumulated);
  EXPECT_EQ(in.errors.inherited, 0);
}

TEST(Origin, TheFirstOperatorCreatesAllButTheInputsRounding) {
  const Chain chain;
  const auto on_grid = [&](int record) { return chain.in.round(input_of(record)); };
  const CompareResult result = origins(chain.model(false), chain.model(true), records(on_grid));
  const ErrorOrigin& a = *map_named(result, "a").origin;
  EXPECT_NEAR(a.errors.created, a.errors.accumulated, 1e-5 * a.errors.accumulated);
  EXPECT_LT(a.errors.inherited, 1e-5 * a.errors.accumulated);

  const CompareResult rounded = origins(chain.model(false), chain.model(true), records());
  Mean input;
  for (int r = 0; r < kRecords; ++r) input.add(chain.first.times(input_of(r), false), chain.first.times(on_grid(r), false));
  EXPECT_NEAR(map_named(rounded, "a").origin->errors.inherited, input.root(), 1e-4 * input.root());
}

TEST(Origin, WhatIsExactlyRepresentableHasNoError) {
  Chain chain;
  for (Matrix* m : {&chain.first, &chain.second}) {
    m->scale = 0.25F;
    for (std::size_t i = 0; i < m->real.size(); ++i) {
      m->codes[i] = i % (kSize + 1) == 0 ? 2 : 0;
      m->real[i] = static_cast<float>(m->codes[i]) * m->scale;
    }
  }
  chain.in = {0.5F, 0}, chain.a = {0.25F, 0}, chain.b = {0.125F, 0};
  const CompareResult result = origins(chain.model(false), chain.model(true), records([&](int r) { return chain.in.round(input_of(r)); }));
  for (const MapComparison& map : result.maps) {
    const ErrorOrigin& origin = *map.origin;
    EXPECT_EQ(origin.errors.accumulated, 0);
    EXPECT_EQ(origin.errors.created, 0);
    EXPECT_EQ(origin.errors.inherited, 0);
    EXPECT_EQ(origin.interaction, 0);
    EXPECT_EQ(origin.output_share, 0);
    EXPECT_EQ(map.verdict, "rounding only");
  }
}

/// Diagonal matrices keep elements apart: the input is off its grid only in some, the weights of the second matrix only in others, so
/// that the squares of what is created and what is inherited must add up to the accumulated one.
TEST(Origin, ErrorsOfALinearChainAddUp) {
  Chain chain;
  chain.in = {0.5F, 0}, chain.a = {}, chain.b = {};
  for (Matrix* m : {&chain.first, &chain.second}) {
    m->scale = 0.125F;
    for (std::size_t i = 0; i < m->real.size(); ++i) {
      m->codes[i] = i % (kSize + 1) == 0 ? 4 : 0;
      m->real[i] = 0.125F * static_cast<float>(m->codes[i]);
    }
  }
  for (std::size_t i = kSize / 2; i < kSize; ++i) chain.second.real[i * (kSize + 1)] += 0.05F;
  const auto make = [&](int r) {
    Values values = chain.in.round(input_of(r));
    for (std::size_t i = 0; i < kSize / 2; ++i) values[i] += 0.125;
    return values;
  };
  const CompareResult result = origins(chain.model(false), chain.model(true), records(make));
  const ErrorOrigin& a = *map_named(result, "a").origin;
  EXPECT_EQ(a.errors.created, 0);
  EXPECT_DOUBLE_EQ(a.errors.inherited, a.errors.accumulated);
  const ErrorOrigin& b = *map_named(result, "b").origin;
  EXPECT_DOUBLE_EQ(b.errors.inherited, 0.5 * a.errors.accumulated) << "halved by the diagonal";
  EXPECT_GT(b.errors.created, 0);
  EXPECT_DOUBLE_EQ(b.errors.created, b.weight_rounding);
  EXPECT_NEAR(b.interaction, 0, 1e-6 * b.errors.accumulated * b.errors.accumulated);
  EXPECT_FALSE(b.in_roundings.has_value()) << "no scale";
}

TEST(Origin, RoundingInsertedBeforeAnOperatorIsAPartOfItsOwn) {
  const Int8Grid given{0.25F, 0}, out{0.05F, -128};
  const auto model = [&](bool quantized) {
    SmallModel small(quantized ? "q.tflite" : "f.tflite");
    const int in = small.map("in", {1, kSize});
    if (!quantized) {
      const int relu = small.map("relu", {1, kSize});
      small.op("RELU", {in}, {relu});
      return small.finish({in}, {relu});
    }
    const int codes = small.quantized_map("codes", {1, kSize}, DType::kInt8, given.scale, given.zero_point);
    const int relu = small.quantized_map("relu", {1, kSize}, DType::kInt8, out.scale, out.zero_point);
    small.op("QUANTIZE", {in}, {codes});
    small.op("RELU", {codes}, {relu});
    return small.finish({in}, {relu});
  };
  Mean inside, rounding, all;
  for (int r = 0; r < kRecords; ++r) {
    Values f = input_of(r), v = given.round(f);
    for (Values* values : {&f, &v}) {
      for (double& value : *values) value = std::max(value, 0.0);
    }
    inside.add(v, f);
    rounding.add(out.round(v), v);
    all.add(out.round(v), f);
  }
  const CompareResult result = origins(model(false), model(true), records());
  const ErrorOrigin& relu = *map_named(result, "relu").origin;
  EXPECT_EQ(relu.weight_rounding, 0);
  EXPECT_NEAR(relu.inner_rounding, inside.root(), 1e-5);
  EXPECT_NEAR(relu.output_rounding, rounding.root(), 1e-5);
  EXPECT_NEAR(relu.errors.created, all.root(), 1e-5);
  expect_equal(relu.errors.created, relu.errors.accumulated);
  EXPECT_EQ(relu.errors.inherited, 0);
}

/// The quantized model has no RELU: its range starts at 0. That range is no clipping, and its conv no operator with wrong weights.
TEST(Origin, AnActivationThatTheRangeHoldsIsNoError) {
  const auto model = [](bool quantized) {
    SmallModel small(quantized ? "q.tflite" : "f.tflite");
    const int in = small.map("in", {1, kSize});
    const int relu = quantized ? small.quantized_map("other", {1, kSize}, DType::kInt8, 0.05F, -128) : small.map("relu", {1, kSize});
    const int factor = small.constant("two", {}, {2.0F});
    if (quantized) {
      small.op("MUL", {in, factor}, {relu});
      return small.finish({in}, {relu});
    }
    const int product = small.map("product", {1, kSize});
    small.op("MUL", {in, factor}, {product});
    small.op("RELU", {product}, {relu});
    return small.finish({in}, {relu});
  };
  const CompareResult result = origins(model(false), model(true), records());
  const ErrorOrigin& relu = *map_named(result, "relu").origin;
  EXPECT_EQ(relu.weight_rounding, 0);
  EXPECT_EQ(relu.output_clipping, 0);
  EXPECT_GT(relu.output_rounding, 0);
  expect_equal(relu.errors.created, relu.errors.accumulated);
}

TEST(Origin, NonFiniteElementsLeaveTheErrorsThatTheyEnterUndefined) {
  const Chain chain;
  const auto broken = [](int record) {
    Values values = input_of(record);
    if (record == 1) values[3] = std::numeric_limits<double>::quiet_NaN();
    return values;
  };
  const CompareResult result = origins(chain.model(false), chain.model(true), records(broken));
  for (const MapComparison& map : result.maps) {
    EXPECT_TRUE(std::isnan(map.origin->errors.accumulated)) << map.reference.name;
    EXPECT_TRUE(std::isnan(map.origin->errors.created)) << map.reference.name;
    EXPECT_EQ(map.origin->output_share, 0);
  }
}

/// x is halved until its sum is at most 4; the quantized body rounds the halved values.
TEST(Origin, InsideALoopTheBodysMapsAreMeasuredAtEveryTurn) {
  const auto halving = [](float scale) {
    SmallModel model(scale == 0 ? "f.tflite" : "q.tflite");
    const int in = model.map("in", {4});
    const int out = model.map("out", {4});
    Operator& loop = model.op("WHILE", {in}, {out});
    loop.attributes.set("cond_subgraph_index", std::int64_t{1});
    loop.attributes.set("body_subgraph_index", std::int64_t{2});
    model.next_subgraph({in}, {out});
    const int tested = model.map("tested", {4});
    const int total = model.map("total", {});
    const int more = model.map("more", {}, DType::kBool);
    model.op("SUM", {tested, model.constant_int32("axis", {1}, {0})}, {total});
    model.op("GREATER", {total, model.constant("limit", {}, {4})}, {more});
    model.next_subgraph({tested}, {more});
    const int whole = model.map("whole", {4});
    const int half = scale == 0 ? model.map("half", {4}) : model.quantized_map("half", {4}, DType::kInt8, scale, 0);
    const int result = model.map("result", {4});
    model.op("MUL", {whole, model.constant("factor", {}, {0.5F})}, {half});
    model.op("DEQUANTIZE", {half}, {result});
    return model.finish({whole}, {result});
  };
  const Int8Grid grid{0.25F, 0};
  Mean created, inherited;
  Values f = {8.1F, 4.3F, 2.7F, 1.9F}, q = f;
  for (int turn = 0; turn < 3; ++turn) {  // sums 17, 8.5, 4.25, 2.125
    for (double& value : f) value /= 2;
    for (double& value : q) value /= 2;
    created.add(grid.round(f), f);
    inherited.add(q, f);
    q = grid.round(q);
  }
  MemorySource data({float_array({4}, {8.1F, 4.3F, 2.7F, 1.9F})});
  const CompareResult result = origins(halving(0), halving(0.25F), std::move(data), with_origin(1));
  const ErrorOrigin& half = *map_named(result, "half").origin;
  EXPECT_NEAR(half.errors.created, created.root(), 1e-6);
  EXPECT_NEAR(half.errors.inherited, inherited.root(), 1e-6);
  EXPECT_EQ(map_named(result, "out").origin->not_computed, "WHILE calls subgraphs");
  EXPECT_EQ(map_named(result, "whole").origin->not_computed, "handed over by the operator that calls the subgraph");
}

TEST(Origin, OperatorsWithStateAreNotRunAgain) {
  SmallModel model("random.tflite");
  const int in = model.map("in", {2});
  const int shape = model.constant_int32("shape", {1}, {2});
  const int noise = model.map("noise", {2});
  const int sum = model.map("sum", {2});
  model.op("RANDOM_UNIFORM", {shape}, {noise});
  model.op("ADD", {in, noise}, {sum});
  const auto random = model.finish({in}, {sum});
  const CompareResult result = origins(random, random, MemorySource({float_array({2}, {1, 2})}), with_origin(1));
  EXPECT_EQ(map_named(result, "noise").origin->not_computed, "RANDOM_UNIFORM keeps state from record to record");
  EXPECT_EQ(map_named(result, "sum").origin->not_computed, "") << "it reads the other model's noise";
}

TEST(Origin, IntegerArithmeticIsRefused) {
  CompareOptions options = with_origin();
  options.quantized_mode = Mode::kInteger;
  options.modes_given = true;
  auto data = records();
  const auto result = compare(Chain().model(false), Chain().model(true), data, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().reason, Reason::kUsage);
}

TEST(Origin, WithoutTheOptionThereIsNone) {
  CompareOptions options = with_origin();
  options.origin = false;
  const CompareResult result = origins(Chain().model(false), Chain().model(true), records(), options);
  for (const MapComparison& map : result.maps) EXPECT_FALSE(map.origin.has_value());
}

}  // namespace
}  // namespace visq
