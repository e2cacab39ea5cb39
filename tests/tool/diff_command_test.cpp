// --baseline and diff: a result against a stored one, and stored ones that are not what they seem.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class StoredResults : public ::testing::Test {
 protected:
  StoredResults() {
    const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", "-"});
    result_ = Json::parse(run.out);
    write_text(old_, run.out);
  }
  /// The result as if one metric of one node had been `factor` times what it is.
  std::string edited(std::size_t node, const std::string& metric, double factor) {
    Json changed = result_;
    changed["nodes"][node]["metrics"][metric] = changed["nodes"][node]["metrics"][metric].get<double>() * factor;
    write_text(folder_ / "edited.json", changed.dump());
    return folder_ / "edited.json";
  }
  ProcessResult baseline(const std::string& file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"compare", kFp32, kInt8, "-d", kData, "--json", "-", "--baseline", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tool(arguments);
  }

  TemporaryFolder folder_;
  std::string old_ = folder_ / "old.json";
  Json result_;
};

TEST_F(StoredResults, AreTheirOwnBaseline) {
  const ProcessResult same = baseline(old_);
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(same.err, "");
}

TEST_F(StoredResults, FailABuildWithOneLinePerNodeThatIsWorse) {
  const ProcessResult worse = baseline(edited(3, "mse", 0.9));
  EXPECT_EQ(worse.exit_code, 1);
  const std::string name = result_["nodes"][3]["display"];
  EXPECT_EQ(worse.err.rfind("visqerror: --baseline " + (folder_ / "edited.json") + " does not hold: mse of " + name + " was ", 0), 0U)
      << worse.err;
  EXPECT_EQ(std::count(worse.err.begin(), worse.err.end(), '\n'), 1);
  EXPECT_EQ(baseline(edited(3, "mse", 0.9), {"--tolerance", "12%"}).exit_code, 0);
  EXPECT_EQ(baseline(edited(3, "mse", 0.9), {"--tolerance", "0.11"}).exit_code, 1);
  EXPECT_EQ(baseline(edited(3, "sqnr", 1.1)).exit_code, 1) << "higher was better";
  EXPECT_EQ(baseline(edited(3, "sqnr", 0.9)).exit_code, 0);
}

TEST_F(StoredResults, NameSqnrFirstAndTheOthersInTheSameLine) {
  Json changed = result_;
  for (Json& node : changed["nodes"]) {
    for (const char* metric : {"mse", "mre"}) node["metrics"][metric] = node["metrics"][metric].get<double>() / 2;
    node["metrics"]["sqnr"] = node["metrics"]["sqnr"].get<double>() + 3;
  }
  write_text(folder_ / "better.json", changed.dump());
  const ProcessResult worse = baseline(folder_ / "better.json");
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_EQ(std::count(worse.err.begin(), worse.err.end(), '\n'), static_cast<std::ptrdiff_t>(result_["nodes"].size())) << worse.err;
  EXPECT_THAT(worse.err, HasSubstr(" does not hold: sqnr of image was "));
  EXPECT_THAT(worse.err, HasSubstr("); worse too: mse, mre\n"));
  const ProcessResult quiet = baseline(folder_ / "better.json", {"--quiet"});
  EXPECT_EQ(quiet.exit_code, 1);
  EXPECT_EQ(std::count(quiet.err.begin(), quiet.err.end(), '\n'), 1) << quiet.err;
  EXPECT_THAT(quiet.err, HasSubstr("; worse too: mse, mre (and 11 more)\n"));
}

TEST_F(StoredResults, AllowAbsoluteAmountsPerMetricAndInDecibels) {
  const double sqnr = result_["nodes"][3]["metrics"]["sqnr"];
  const std::string better = edited(3, "sqnr", (sqnr + 2) / sqnr);
  EXPECT_EQ(baseline(better, {"--tolerance", "2.1dB"}).exit_code, 0);
  EXPECT_EQ(baseline(better, {"--tolerance", "1.9dB"}).exit_code, 1);
  EXPECT_EQ(baseline(better, {"--tolerance", "psnr=2.1dB"}).exit_code, 1);
  EXPECT_EQ(baseline(better, {"--tolerance", "sqnr=2.1"}).exit_code, 0);
  EXPECT_EQ(baseline(better, {"--tolerance", "sqnr=1.9,50%"}).exit_code, 1) << "its own counts";
  EXPECT_EQ(baseline(better, {"--tolerance", "1dB,sqnr=50%"}).exit_code, 0);
  const ProcessResult json = run_tool({"diff", better, old_, "--tolerance", "5%,sqnr=2.5dB", "--json", "-"});
  EXPECT_EQ(json.exit_code, 0);
  const Json document = Json::parse(json.out);
  EXPECT_EQ(schema_violation("diff.schema.json", document), "");
  EXPECT_EQ(document["tolerance"], 0.05);
  EXPECT_EQ(document["tolerances"]["sqnr"]["absolute"], 2.5);
  EXPECT_THAT(run_tool({"diff", better, old_, "--tolerance", "5%,sqnr=2.5dB"}).out, HasSubstr("(tolerance 5 %, sqnr 2.5 dB)"));
  expect_error(baseline(old_, {"--tolerance", "mse=1dB"}), 2, "--tolerance: 'mse=1dB': mse is not in dB");
  expect_error_containing(baseline(old_, {"--tolerance", "sqn=1"}), 2, "--tolerance: unknown metric 'sqn'; did you mean 'sqnr'?");
}

TEST_F(StoredResults, JudgeOutputsAloneWhereAsked) {
  const std::string inner = edited(3, "mse", 0.5);
  EXPECT_EQ(baseline(inner).exit_code, 1);
  EXPECT_EQ(baseline(inner, {"--baseline-outputs"}).exit_code, 0);
  Json changed = result_;
  changed["outputs"][0]["metrics"]["mse"] = 1e-9;
  write_text(folder_ / "output.json", changed.dump());
  const ProcessResult output = baseline(folder_ / "output.json", {"--baseline-outputs"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr(" does not hold: mse of Identity was 1e-09"));
  expect_error(run_tool({"compare", kFp32, kInt8, "--baseline-outputs"}), 2, "--baseline-outputs needs --baseline");
}

TEST_F(StoredResults, ThatAreBrokenAreRefusedInOneLine) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"{\"schema\"", "is not JSON"},
      {"[]", "is not a result of `visqerror compare`"},
      {R"({"schema": "visq.compare/1"})", "'nodes' is not an array"},
      {R"({"schema": "visq.compare/1", "nodes": [7], "outputs": []})", "'nodes[0].name' is not a string"},
      {R"({"schema": "visq.compare/1", "nodes": [{"name": "a", "metrics": {"mse": "x"}}], "outputs": []})",
       "'nodes[0].metrics.mse' is neither a number nor null"},
      {R"({"schema": "visq.compare/1", "nodes": [{"name": "a", "subgraph": 1e300, "metrics": {}}], "outputs": []})", "is not an index"},
      {R"({"schema": "visq.compare/1", "nodes": [], "outputs": [], "accuracy": 3})", "'accuracy' does not hold"},
      {std::string(100000, '['), "is not JSON"}};
  for (const auto& [text, message] : broken) {
    write_text(folder_ / "broken.json", text);
    expect_error_containing(baseline(folder_ / "broken.json"), 3, message);
    expect_error_containing(run_tool({"diff", old_, folder_ / "broken.json"}), 3, message);
  }
  expect_error_containing(baseline(folder_ / "nothing.json"), 3, "nothing.json");
  expect_error(baseline(old_, {"--tolerance", "-5%"}), 2, "--tolerance: '-5%' is negative");
  expect_error(run_tool({"compare", kFp32, kInt8, "--tolerance", "5%"}), 2, "--tolerance needs --baseline");
}

TEST_F(StoredResults, WithNothingInCommonAreNoBaseline) {
  write_text(folder_ / "other.json", R"({"schema": "visq.compare/1", "nodes": [], "outputs": []})");
  EXPECT_EQ(baseline(folder_ / "other.json").exit_code, 1);
  EXPECT_EQ(run_tool({"diff", old_, folder_ / "other.json"}).exit_code, 3);
}

TEST_F(StoredResults, AreComparedByDiff) {
  const std::string before = edited(3, "mse", 0.5);
  const ProcessResult json = run_tool({"diff", before, old_, "--json", "-"});
  EXPECT_EQ(json.exit_code, 1) << json.err;
  EXPECT_EQ(run_tool({"diff", old_, before}).exit_code, 0) << "what got better fails nothing";
  EXPECT_EQ(run_tool({"diff", before, old_, "--tolerance", "101%"}).exit_code, 0);
  const Json document = Json::parse(json.out);
  EXPECT_EQ(schema_violation("diff.schema.json", document), "");
  ASSERT_EQ(document["differences"].size(), 1U);
  EXPECT_EQ(document["differences"][0]["metric"], "mse");
  EXPECT_NEAR(document["differences"][0]["relative"].get<double>(), 1, 1e-12);
  EXPECT_EQ(document["nodes"]["worse"], 1);
  const ProcessResult text = run_tool({"diff", before, old_});
  EXPECT_THAT(text.out, HasSubstr("+100 %"));
  EXPECT_THAT(text.out, HasSubstr("1 of 12 nodes worse, 0 better, 11 as before (tolerance 0 %)"));
  EXPECT_THAT(run_tool({"diff", old_, old_}).out, HasSubstr("\nOutputs: 1 compared, none changed\n"));
}

TEST_F(StoredResults, AreNotOverwrittenByTheirSuccessor) {
  const std::string before = read_text(old_);
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", old_, "--baseline", old_}), 2,
               old_ + ": would overwrite an input");
  std::filesystem::create_directory(folder_.path() / "out");
  write_text(folder_ / "out/result.json", before);
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "-o", folder_ / "out", "--baseline", folder_ / "out/result.json"}), 2,
               (folder_ / "out/result.json") + ": would overwrite an input");
  EXPECT_EQ(read_text(old_), before);
}

TEST_F(StoredResults, OfOtherRecordsSaySo) {
  const ProcessResult part =
      run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "1", "--json", "-", "--baseline", old_, "--tolerance", "1000"});
  EXPECT_THAT(part.err, HasSubstr("old.json: its records are not those of this comparison"));
}

TEST_F(StoredResults, KnowTheAccuracyThatAProgramMeasured) {
  const auto with_program = [&](const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", kFp32, kInt8, "-d", kData, "--quiet", "--json", "-", "--eval", program};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  };
  write_text(folder_ / "program.json", with_program("echo 0.5 #", {}).out);
  EXPECT_EQ(with_program("echo 0.5 #", {"--baseline", folder_ / "program.json"}).exit_code, 0);
  Json changed = Json::parse(read_text(folder_ / "program.json"));
  changed["accuracy"]["drop"] = -1.0;
  write_text(folder_ / "program.json", changed.dump());
  const ProcessResult worse = with_program("echo 0.5 #", {"--baseline", folder_ / "program.json"});
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_THAT(worse.err, HasSubstr("does not hold: accuracy_drop of accuracy was -1, is 0 (at most: -1)"));
}

TEST_F(StoredResults, ReachBuildServers) {
  const std::string xml = folder_ / "r.xml", sarif = folder_ / "r.sarif", markdown = folder_ / "r.md";
  const ProcessResult run =
      baseline(edited(3, "mse", 0.9), {"--write", "junit=" + xml, "--write", "sarif=" + sarif, "--write", "markdown=" + markdown});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(read_text(xml), HasSubstr("failures=\"1\""));
  EXPECT_EQ(Json::parse(read_text(sarif))["runs"][0]["results"][0]["ruleId"], "condition");
  EXPECT_THAT(read_text(markdown), HasSubstr("**Failed**: 1 of 1 condition does not hold."));
}

}  // namespace
}  // namespace visq::testing
