// compare --eval and --post on the bundled example.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

/// A program beside the test that keeps its argument and prints what is asked for, by the model of the file.
class EvalProgram : public ::testing::Test {
 protected:
  std::string program(const std::string& body) {
    write_text(folder_ / "judge.sh", "echo \"$1\" >> '" + (folder_ / "seen") + "'\n" + body + "\n");
    return "sh '" + (folder_ / "judge.sh") + "'";
  }
  ProcessResult compare(const std::string& eval, std::vector<std::string> more = {"--json", "-"}) const {
    std::vector<std::string> words{"compare", kFp32, kInt8, "-d", kData, "--records", "4", "--eval", eval};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  }
  TemporaryFolder folder_;
};

const char* const kByModel = "case \"$1\" in *reference*) echo 0.75;; *) echo ' 0.5 ';; esac";

TEST_F(EvalProgram, JudgesBothModelsAndItsFilesDisappear) {
  const ProcessResult run = compare(program(kByModel));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("compare.schema.json", json), "");
  EXPECT_EQ(json["accuracy"]["reference"], 0.75);
  EXPECT_EQ(json["accuracy"]["quantized"], 0.5);
  EXPECT_EQ(json["accuracy"]["drop"], 25);
  EXPECT_DOUBLE_EQ(json["accuracy"]["ratio"], 0.5 / 0.75);
  EXPECT_EQ(json["accuracy"]["records"], 4);
  std::istringstream seen(read_text(folder_ / "seen"));
  int files = 0;
  for (std::string path; std::getline(seen, path); ++files) {
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path())) << path;
  }
  EXPECT_EQ(files, 2);
  EXPECT_THAT(compare(program(kByModel), {}).out, HasSubstr("drop: 25.00 percentage points"));
}

TEST_F(EvalProgram, GetsTheOutputsAsRunWritesThem) {
  const ProcessResult run = compare(program("cp \"$1\" '" + (folder_ / "kept.h5") + "'; echo 1"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(run_tool({"run", kInt8, "-d", kData, "--records", "4", "--nodes", "Identity", "-o", folder_ / "run.h5"}).exit_code, 0);
  const ProcessResult same = run_tool({"compare", folder_ / "kept.h5", folder_ / "run.h5", "--json", "-"});
  ASSERT_EQ(same.exit_code, 0) << same.err;
  const Json json = Json::parse(same.out);
  ASSERT_EQ(json["nodes"].size(), 1U) << "outputs only";
  EXPECT_EQ(json["nodes"][0]["metrics"]["mse"], 0);
  EXPECT_EQ(json["data"]["records"], Json({0, 4}));
}

TEST_F(EvalProgram, DecidesConditions) {
  EXPECT_EQ(compare(program(kByModel), {"--max", "accuracy_drop=30", "--quiet"}).exit_code, 0);
  const ProcessResult run = compare(program(kByModel), {"--max", "accuracy_drop=1", "--quiet"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("--max accuracy_drop=1 does not hold: accuracy drops by 25 percentage points"));
}

TEST_F(EvalProgram, NumbersAboveOneArePoints) {
  const ProcessResult run = compare(program("case \"$1\" in *reference*) echo 93.5;; *) echo 93;; esac"));
  EXPECT_EQ(Json::parse(run.out)["accuracy"]["drop"], 0.5);
}

TEST_F(EvalProgram, StderrPassesThrough) {
  const ProcessResult run = compare(program("echo heard >&2; echo 1"), {"--json", "-", "--quiet"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "heard\nheard\n");
}

TEST_F(EvalProgram, FailuresAreNamed) {
  const auto message = [&](const std::string& body) {
    const std::string command = program(body);
    const ProcessResult run = compare(command);
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_EQ(run.out, "");
    const std::string head = "visqerror: --eval: '" + command + "' ";
    EXPECT_EQ(run.err.rfind(head, 0), 0U) << run.err;
    return run.err.size() > head.size() ? run.err.substr(head.size()) : "";
  };
  EXPECT_EQ(message("exit 7"), "ended with exit code 7\n");
  EXPECT_THAT(compare("kill -9 $$; true").err, HasSubstr("'kill -9 $$; true' was ended by signal 9"));
  EXPECT_EQ(message(":"), "printed nothing, expected one number\n");
  EXPECT_EQ(message("echo 1 2"), "printed '1 2', expected one number\n");
  EXPECT_EQ(message("echo nan"), "printed 'nan', expected one number\n");
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--eval", "true", "--labels", "y.npy"}), 2,
               "--labels and --eval: one measure of accuracy at a time");
}

TEST(Post, ChangesTheOutputsAndNotTheNodes) {
  const auto compare = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", kFp32, kInt8, "-d", kData, "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult run = run_tool(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json plain = compare({}), sigmoid = compare({"--post", "sigmoid"}), argmax = compare({"--post", "argmax"});
  EXPECT_EQ(schema_violation("compare.schema.json", argmax), "");
  EXPECT_EQ(plain["post"], nullptr);
  EXPECT_EQ(sigmoid["post"], "sigmoid");
  EXPECT_EQ(sigmoid["nodes"], plain["nodes"]);
  // The sigmoid's slope is at most 1/4.
  EXPECT_LT(sigmoid["outputs"][0]["metrics"]["atol"], plain["outputs"][0]["metrics"]["atol"].get<double>() / 4);
  EXPECT_GT(sigmoid["outputs"][0]["metrics"]["atol"], 0);
  EXPECT_TRUE(argmax["outputs"][0].contains("differing_share"));
  const Json bad = Json::parse(run_tool({"badcase", kFp32, kInt8, "-d", kData, "--post", "softmax", "--json", "-"}).out);
  EXPECT_EQ(schema_violation("badcase.schema.json", bad), "");
  EXPECT_EQ(bad["post"], "softmax");
  EXPECT_THAT(run_tool({"compare", kFp32, kInt8, "-d", kData, "--post", "softmax"}).out, HasSubstr("Outputs after softmax"));
}

TEST(Post, WrongNames) {
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--post", "sofmax"}), 2,
               "--post: unknown function 'sofmax'; did you mean 'softmax'?");
}

}  // namespace
}  // namespace visq::testing
