// A float graph with everything quantized is the quantized model: accumulate and compare must see the same errors. Up to ties: compare
// adds products of integers exactly, a partly quantized run adds the same numbers in float32, and an element that lies within rounding of
// the middle between two steps may fall to either side. From there on both are different runs, so the first difference is what is judged.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "visq/accumulate.h"
#include "visq/compare.h"
#include "visq/data.h"

namespace visq {
namespace {

/// Share of a map's elements that may fall to the other side.
constexpr double kTies = 1e-4;

struct PairOfModels {
  const char* folder;
  const char* quantized;
};
std::ostream& operator<<(std::ostream& out, const PairOfModels& pair) { return out << pair.folder << "/" << pair.quantized; }

class AllQuantized : public ::testing::TestWithParam<PairOfModels> {
 protected:
  static std::string folder() {
    const std::string name = GetParam().folder;
    return name == "digits" ? std::string(VISQ_SOURCE_DIR) + "/examples/digits/" : std::string(VISQ_SHARED_DIR) + "/models/" + name + "/";
  }
  static std::shared_ptr<const Model> model(const std::string& name) {
    return std::make_shared<const Model>(load_model(folder() + name).value());
  }

  static double value_of(const MetricValue& value) { return value.state == MetricValue::State::kFinite ? value.value : 0; }

  /// How many elements by half a step from the middle could make up for the difference of two mean squared errors.
  static double ties(const MapComparison& map, double mse) {
    const double step = map.quantized.scale.empty() ? 0 : static_cast<double>(map.quantized.scale[0]);
    const double most = step * (2 * value_of(map.metrics[1]) + step);  // of one element's squared error
    return std::fabs(value_of(map.metrics[0]) - mse) * static_cast<double>(map.shape.elements()) / most;
  }
};

TEST_P(AllQuantized, IsTheQuantizedModel) {
  if (!std::ifstream(folder() + "fp32.tflite")) GTEST_SKIP() << folder() << " is not there";
  const auto fp32 = model("fp32.tflite"), quantized = model(GetParam().quantized);
  const auto data = open_data(folder() + "data.h5", *fp32).value();
  CompareOptions compare_options;
  compare_options.records = {0, 1};
  compare_options.metrics = {metric_named("mse"), metric_named("atol")};
  const CompareResult want = compare(fp32, quantized, *data, compare_options).value();
  AccumulateOptions options;
  options.records = {0, 1};
  options.metrics = {metric_named("mse")};
  options.curves = {{"weight,activation", false, {}}};
  const AccumulateResult all = accumulate(fp32, quantized, *data, options).value();
  std::size_t same = 0;
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    const MapIdentity& node = all.nodes[i].reference;
    const auto map = std::find_if(want.maps.begin(), want.maps.end(), [&](const MapComparison& each) {
      return each.reference.subgraph == 0 && each.reference.tensor == node.tensor;
    });
    const bool several = node.node >= 0 && fp32->main().operators[static_cast<std::size_t>(node.node)].outputs.size() > 1;
    if (map == want.maps.end() || map->integer || several || node.node < 0) continue;
    const double mse = value_of(all.curves[0].nodes[i].metrics[0]);
    if (mse == value_of(map->metrics[0])) {
      ++same;
      continue;
    }
    EXPECT_LE(ties(*map, mse), std::max(1.0, kTies * static_cast<double>(map->shape.elements()))) << node.name << " " << mse;
    EXPECT_GT(map->shape.elements(), 1000) << node.name << ": ties are rare";
    return;
  }
  EXPECT_GT(same, 3U);
}

INSTANTIATE_TEST_SUITE_P(Pairs, AllQuantized,
                         ::testing::Values(PairOfModels{"digits", "int8.tflite"}, PairOfModels{"resnet8", "int8.tflite"},
                                           PairOfModels{"vww_96", "int8.tflite"}, PairOfModels{"ad01", "int8.tflite"},
                                           PairOfModels{"mobilenet_v1_025_128", "uint8.tflite"},
                                           PairOfModels{"mbnet128_renamed", "int8.tflite"}, PairOfModels{"dtln_1", "int8.tflite"},
                                           PairOfModels{"dtln_1", "int16x8.tflite"}, PairOfModels{"blazeface", "int8.tflite"},
                                           PairOfModels{"edsr_f32b5", "uint8.tflite"}));

}  // namespace
}  // namespace visq
