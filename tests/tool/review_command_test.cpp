// diagnose and check for build servers: --write of the formats that they read.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kKinds = {"--write", "sarif", "--write", "junit", "--write", "markdown", "--write", "model-explorer"};

ProcessResult run_with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return run_tool(words);
}

TEST(ReviewCommands, DiagnoseWritesThemAllIntoItsFolder) {
  const TemporaryFolder folder;
  const ProcessResult run = run_with({"diagnose", kFp32, kInt8, "-d", kData, "--records", "2", "--quiet", "-o", folder / "out"}, kKinds);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const std::string name : {"fp32.sarif", "fp32.causes.model-explorer.json"}) {
    EXPECT_TRUE(Json::parse(read_text(folder / ("out/" + name))).is_object()) << name;
  }
  EXPECT_THAT(read_text(folder / "out/fp32.junit.xml"), HasSubstr("<testcase classname=\"visqerror.causes\" name=\"ACT_CLIP\""));
  EXPECT_THAT(read_text(folder / "out/fp32.md"), HasSubstr("### Causes of quantization error\n"));
}

TEST(ReviewCommands, CheckWritesThemToFilesOfTheirOwn) {
  const TemporaryFolder folder;
  const ProcessResult run = run_with({"check", kInt8, "--quiet", "--title", "mine"},
                                     {"--write", "sarif=" + (folder / "a.sarif"), "--write", "markdown=" + (folder / "a.md")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(folder.content(), ElementsAre("a.md", "a.sarif"));
  EXPECT_EQ(Json::parse(read_text(folder / "a.sarif"))["version"], "2.1.0");
  EXPECT_THAT(read_text(folder / "a.md"), HasSubstr("### `mine`\n"));
}

TEST(ReviewCommands, ModelExplorerFindsTheNodesOfBothModels) {
  const char* named = std::getenv("VISQ_CI_PYTHON");
  const std::string python = named != nullptr ? named : "python3",
                    script = std::string(VISQ_SOURCE_DIR) + "/tests/tool/scripts/model_explorer_keys.py";
  if (run_process({python, "-c", "import ai_edge_model_explorer_adapter"}).exit_code != 0) {
    GTEST_SKIP() << "no Python with the package ai-edge-model-explorer; name one in VISQ_CI_PYTHON";
  }
  const TemporaryFolder folder;
  for (const std::string whose : {"reference", "quantized"}) {
    const std::string mse = folder / "mse.json", causes = folder / "causes.json";
    const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", kData, "--quiet", "--metrics", "mse", "--names", whose, "--json",
                                        folder / "all.json", "--write", "model-explorer=" + mse});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--quiet", "--records", "2", "--names", whose, "--write",
                        "model-explorer=" + causes})
                  .exit_code,
              0);
    const std::size_t nodes = Json::parse(read_text(folder / "all.json"))["nodes"].size();
    std::size_t found = 0;
    const Json document = Json::parse(read_text(causes));
    for (const Json& graph : document) found += graph["results"].size();
    EXPECT_EQ(run_process({python, script, whose == "reference" ? kFp32 : kInt8, mse, causes}).out,
              std::to_string(nodes + found) + " known\n");
  }
}

TEST(ReviewCommands, RefuseWhatTheyCannotWrite) {
  expect_error_containing(run_tool({"check", kInt8, "--write", "visq"}), 2, "--write: unknown kind 'visq'");
  expect_error(run_tool({"check", kInt8, "--write", "sarif="}), 2, "--write: 'sarif=' names no file");
  expect_error(run_tool({"check", kInt8, "--write", "sarif=" + kInt8}), 2, kInt8 + ": would overwrite an input");
  expect_error(run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--names", "both"}), 2,
               "--names: 'both' is neither reference nor quantized");
}

}  // namespace
}  // namespace visq::testing
