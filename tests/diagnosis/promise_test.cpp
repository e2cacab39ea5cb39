// What recommend promises of a set of operators: not the luck of the records that it was chosen on.
#include "diagnosis/recommend/promise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace visq::diagnosis {
namespace {

constexpr const char* kFolder = VISQ_SOURCE_DIR "/examples/digits/";

std::shared_ptr<const Model> example(const std::string& name) { return std::make_shared<const Model>(load_model(kFolder + name).value()); }

std::vector<float> floats(const Record& record) {
  const auto values = record.inputs.front().values<float>();
  return {values.begin(), values.end()};
}

TEST(Disturbed, MovesEachElementByAThousandthAtMost) {
  const auto model = example("fp32.tflite");
  const auto data = open_data(std::string(kFolder) + "data.h5", *model).value();
  const std::vector<float> as_is = floats(data->read(3).value()), once = floats(disturbed(*data, 1)->read(3).value());
  double squares = 0, most = 0, moved = 0;
  for (std::size_t i = 0; i < as_is.size(); ++i) {
    squares += static_cast<double>(as_is[i]) * as_is[i];
    most = std::max(most, std::fabs(static_cast<double>(once[i]) - as_is[i]));
    moved += static_cast<double>(once[i]) - as_is[i];
  }
  const auto count = static_cast<double>(as_is.size());
  const double limit = 1e-3 * std::sqrt(squares / count);
  EXPECT_LE(most, 1.0001 * limit);
  EXPECT_GT(most, 0.9 * limit);
  EXPECT_LT(std::fabs(moved / count), 0.2 * limit);  // to both sides
  EXPECT_EQ(once, floats(disturbed(*data, 1)->read(3).value()));
  EXPECT_NE(once, floats(disturbed(*data, 2)->read(3).value()));
  EXPECT_NE(once, floats(disturbed(*data, 1)->read(4).value()));
}

TEST(WithRoundingInRun, AddsTheNoiseThatTheSimulationLeavesOut) {
  const Promise promise = with_rounding_in_run({40, 37, 43, false}, 20, 30);
  EXPECT_NEAR(promise.sqnr, -10 * std::log10(1e-4 + 1e-2 - 1e-3), 1e-9);
  EXPECT_LT(promise.low, promise.sqnr);
  EXPECT_GT(promise.high, promise.sqnr);
  EXPECT_FALSE(promise.steady);
  EXPECT_NEAR(with_rounding_in_run({40, 40, 40, true}, 30.5, 30).sqnr, 40, 1e-9);  // no worse than simulated
}

class PromiseOf : public ::testing::Test {
 protected:
  const std::shared_ptr<const Model> fp32_ = example("fp32.tflite");
  const std::unique_ptr<RecordSource> data_ = open_data(std::string(kFolder) + "data.h5", *fp32_).value();
  const std::unique_ptr<analysis::PartialModels> models_ = analysis::PartialModels::create(fp32_, example("int8.tflite")).value();
  const PrecisionForms forms_ = PrecisionForms::create(*models_, **precision_named("float32")).value();

  Promise of(PrecisionPoint point) {
    RecommendOptions options;
    options.records = {0, 8};
    return promise_of(*models_, forms_, *data_, options, point).value();
  }
  double simulated(const std::vector<int>& operators) {
    RecommendOptions options;
    options.records = {0, 8};
    return PartSimulation(*models_, forms_, *data_, options).simulate(operators).value();
  }
};

TEST_F(PromiseOf, ASteadySetIsPromisedAsSimulated) {
  const std::vector<int> set{*forms_.candidates().begin()};
  const double sqnr = simulated(set);
  const Promise promise = of({.operators = set, .sqnr = sqnr, .accuracy_drop = {}});
  EXPECT_TRUE(promise.steady);
  EXPECT_EQ(promise.sqnr, sqnr);
}

TEST_F(PromiseOf, LuckIsNotPromised) {
  const std::vector<int> set{*forms_.candidates().begin()};
  const double sqnr = simulated(set);
  const Promise promise = of({.operators = set, .sqnr = sqnr + 6, .accuracy_drop = {}});  // as if the records had been kind
  EXPECT_FALSE(promise.steady);
  EXPECT_NEAR(promise.sqnr, sqnr, 1);
  EXPECT_LE(promise.low, promise.sqnr);
  EXPECT_GE(promise.high, promise.sqnr);
}

}  // namespace
}  // namespace visq::diagnosis
