// `compare --labels` on the bundled example.
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(CompareLabels, TellsAccuracyAndDrop) {
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy"), "--json", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("compare.schema.json", json), "");
  const Json& accuracy = json["accuracy"];
  EXPECT_EQ(accuracy["records"], 64);
  EXPECT_EQ(accuracy["classes"], 10);
  EXPECT_GT(accuracy["reference"]["top1"].get<double>(), 0.9) << "digits are easy";
  EXPECT_GE(accuracy["reference"]["top5"], accuracy["reference"]["top1"]);
  EXPECT_NEAR(accuracy["drop"].get<double>(),
              100 * (accuracy["reference"]["top1"].get<double>() - accuracy["quantized"]["top1"].get<double>()), 1e-9);
  const ProcessResult text = run_tool({"compare", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy")});
  EXPECT_NE(text.out.find("percentage points"), std::string::npos) << text.out;
}

TEST(CompareLabels, ConditionsMayAskForTheDrop) {
  const std::vector<std::string> base{"compare", kFp32, kInt8, "-d", kData, "--metrics", "mse"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_tool(more);
  };
  EXPECT_EQ(with({"--labels", example("labels.npy"), "--max", "accuracy_drop=50"}).exit_code, 0);
  EXPECT_EQ(with({"--labels", example("labels.npy"), "--min", "accuracy_drop=50"}).exit_code, 1);
  EXPECT_EQ(with({"--max", "accuracy_drop=50"}).exit_code, 1);
}

TEST(CompareLabels, RefusesWhatDoesNotFit) {
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--label-offset", "1"}), 2,
               "--label-offset and --output-node need --labels");
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy"), "--records", "worst:3"}), 2,
               "--labels: do not go with --records worst");
}

}  // namespace
}  // namespace visq::testing
