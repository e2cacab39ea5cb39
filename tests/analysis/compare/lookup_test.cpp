// Maps and metrics of a result by name.
#include <gtest/gtest.h>

#include "support/results/report_results.h"
#include "visq/compare.h"

namespace visq {
namespace {

TEST(Lookup, FindsMapsByEitherModelsName) {
  CompareResult result = testing::chain_result({"in", "conv", "conv;Relu"});
  result.maps[1].quantized.name = "conv;Relu";
  result.maps[2].quantized.name = "out";
  EXPECT_EQ(find_map(result, "in"), &result.maps[0]);
  EXPECT_EQ(find_map(result, "conv;Relu"), &result.maps[2]) << "the reference's name counts first";
  EXPECT_EQ(find_map(result, "out"), &result.maps[2]);
  EXPECT_EQ(find_map(result, "nothing"), nullptr);
}

TEST(Lookup, FindsMetricsThatWereAskedFor) {
  CompareResult result = testing::chain_result({"in", "conv"});
  testing::set_metric(result.maps[1], "sqnr", testing::finite_value(20));
  ASSERT_NE(find_metric(result, result.maps[1], "sqnr"), nullptr);
  EXPECT_EQ(find_metric(result, result.maps[1], "sqnr")->value, 20);
  EXPECT_EQ(find_metric(result, result.maps[1], "loss"), nullptr);
  result.metrics.assign(1, result.metrics.front());
  result.maps[1].metrics.resize(1);
  EXPECT_EQ(find_metric(result, result.maps[1], "sqnr"), nullptr);
  EXPECT_EQ(find_metric(result, MapComparison(), all_metrics()[0].name), nullptr) << "not compared";
}

}  // namespace
}  // namespace visq
