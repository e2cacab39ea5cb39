// The original tool's command line, unchanged.
#include <nlohmann/json.hpp>

#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

const std::string kFp32Circle = example("fp32.circle"), kInt8Circle = example("int8.circle");

TEST(OriginalFlags, WriteEveryMetricAndItsGraph) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"--fp32_circle", kFp32Circle, "--q_circle", kInt8Circle, "--data", kData, "--mpeir_output", "x.visq.json", "--mse_output",
                "y.visq.json", "--tae_output", "t.visq.json", "--srmse_output", "s.visq.json", "--dump_dot_graph", "--batch_size", "16"},
               {.folder = folder.path().string()});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(folder.content(), ::testing::ElementsAre("s.visq.json", "s.visq.json.dot", "t.visq.json", "t.visq.json.dot", "x.visq.json",
                                                       "x.visq.json.dot", "y.visq.json", "y.visq.json.dot"));
  const Json mpeir = Json::parse(read_text(folder / "x.visq.json"));
  EXPECT_EQ(mpeir["meta"]["metric"], "MPEIR");
  EXPECT_EQ(mpeir["meta"]["colorscheme"].size(), 9U);
  EXPECT_EQ(mpeir["error"].size(), 1U);
  EXPECT_EQ(mpeir["error"][0].size(), 12U);
  EXPECT_EQ(Json::parse(read_text(folder / "s.visq.json"))["meta"]["metric"], "SRMSE");
  EXPECT_NE(read_text(folder / "y.visq.json.dot").find("digraph"), std::string::npos);
}

TEST(OriginalFlags, ShortFormsAndNamesInDot) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"-f", kFp32Circle, "-q", kInt8Circle, "-d", kData, "-b", "8", "--peir_output", folder / "p.json",
                                      "--mse_output", folder / "m.dot", "--verbose"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(folder.content(), ::testing::ElementsAre("m.dot", "p.json"));
  EXPECT_NE(read_text(folder / "m.dot").find("digraph"), std::string::npos);
}

TEST(OriginalFlags, GiveTheNumbersOfCompare) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool({"-f", kFp32Circle, "-q", kInt8Circle, "-d", kData, "--tae_output", folder / "t.json"}).exit_code, 0);
  const ProcessResult compare = run_tool({"compare", kFp32Circle, kInt8Circle, "-d", kData, "--metrics", "tae", "--json", "-"});
  const Json nodes = Json::parse(compare.out)["nodes"], errors = Json::parse(read_text(folder / "t.json"))["error"][0];
  ASSERT_EQ(errors.size(), nodes.size());
  for (const Json& node : nodes) EXPECT_EQ(errors[node["name"].get<std::string>()], node["metrics"]["tae"]) << node["name"];
}

}  // namespace
}  // namespace visq::testing
