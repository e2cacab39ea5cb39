// One error, one number: all commands give the same figure for the same pair, records, mode and metric.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// Where a command's JSON holds the SQNR of the digits' output.
struct Figure {
  std::string what;
  Words command;
  std::string place;
  bool integer = false;  ///< of integer arithmetic, not of fake quantization
};

double figure(const Figure& from, const std::string& quantized, const std::string& records) {
  Words words = from.command;
  words.insert(words.end(), {kFp32, quantized, "-d", kData, "--records", records, "--quiet", "--json", "-"});
  const ProcessResult run = run_tool(words);
  EXPECT_EQ(run.exit_code, 0) << from.what << ": " << run.err;
  const Json json = Json::parse(run.out, nullptr, false);
  EXPECT_TRUE(json.contains(Json::json_pointer(from.place))) << from.what << " has no " << from.place;
  return json.value(Json::json_pointer(from.place), 0.0);
}

/// Two sums of the same terms, added up in another order.
constexpr double kOtherOrder = 1e-6;

class OneNumber : public ::testing::TestWithParam<std::string> {};

TEST_P(OneNumber, IsWhatEveryCommandGives) {
  const std::string quantized = example(GetParam());
  const std::vector<Figure> figures{
      {"compare, integer", {"compare", "--mode", "integer"}, "/outputs/0/metrics/sqnr", true},
      {"diagnose", {"diagnose"}, "/outputs/0/sqnr", true},
      {"recommend's repairs", {"recommend"}, "/sqnr_before", true},
      {"compare", {"compare"}, "/outputs/0/metrics/sqnr"},
      {"compare, with --origin", {"compare", "--origin"}, "/outputs/0/metrics/sqnr"},
      {"compare, its verdict", {"compare"}, "/verdict/value"},
      {"sensitivity", {"sensitivity", "--metrics", "sqnr"}, "/all_quantized/metrics/sqnr"},
      {"partial", {"partial"}, "/none/metrics/sqnr"},
      {"recommend", {"recommend"}, "/front/0/sqnr"},
  };
  for (const char* records : {"0:12", "5:6"}) {
    double expected[2] = {};
    for (const Figure& each : figures) {
      const double value = figure(each, quantized, records);
      double& first = expected[each.integer ? 1 : 0];
      if (first == 0) first = value;
      EXPECT_NEAR(value, first, kOtherOrder * std::abs(first)) << each.what << ", records " << records;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Digits, OneNumber, ::testing::Values("int8.tflite", "int16x8.tflite", "int8.circle"), [](const auto& model) {
  std::string name = model.param;
  name[name.find('.')] = '_';
  return name;
});

Json compared(Words arguments, const Words& more) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--quiet", "--json", "-"});
  return Json::parse(run_tool(arguments).out);
}

double worst_output(const Json& result) {
  double worst = INFINITY;
  for (const Json& output : result["outputs"]) worst = std::min(worst, output["metrics"]["sqnr"].get<double>());
  return worst;
}

TEST(ModeGap, IsWhatEitherModeSaysOfTheFirstRecord) {
  const std::string folder = std::string(VISQ_SHARED_DIR) + "/models/dtln_1_dynamic_range/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Words pair{folder + "fp32.tflite", folder + "dynamic_range.tflite", "-d", folder + "data.h5"};
  const Json usual = compared(pair, {"--records", "2:4"});
  EXPECT_EQ(usual["mode_gap"]["record"], 2);
  EXPECT_NEAR(usual["mode_gap"]["fake_quant_sqnr"], worst_output(compared(pair, {"--records", "2:3", "--mode", "fake-quant"})), 1e-6);
  EXPECT_NEAR(usual["mode_gap"]["integer_sqnr"], worst_output(compared(pair, {"--records", "2:3", "--mode", "integer"})), 1e-6);
  EXPECT_FALSE(compared(pair, {"--records", "2:4", "--mode", "fake-quant"}).contains("mode_gap")) << "the user chose";
  EXPECT_FALSE(compared(pair, {"--records", "2:4", "--per-record"}).contains("mode_gap")) << "parts are merged to what one run says";
}

TEST(ModeGap, IsNotLookedForWhereMapsAreQuantized) {
  EXPECT_FALSE(compared({kFp32, kInt8, "-d", kData, "--records", "1"}, {}).contains("mode_gap"));
}

}  // namespace
}  // namespace visq::testing
