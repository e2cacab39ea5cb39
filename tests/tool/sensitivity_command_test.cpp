// `visqerror sensitivity` on the bundled example: its files, its JSON, configurations, a run that is stopped, what it refuses.
#include <csignal>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> words{"sensitivity", kFp32, kInt8, "-d", kData};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json json_of(std::vector<std::string> more) {
  more.insert(more.end(), {"--json", "-", "--quiet"});
  const ProcessResult run = run_tool(with(more));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("sensitivity.schema.json", json), "");
  return json;
}

TEST(SensitivityCommand, RanksAndSaysWhatItUsed) {
  const ProcessResult run = run_tool(with({}));
  EXPECT_EQ(run.exit_code, 0);
  const bool all = run.err.empty();  // as many as two seconds have room for
  EXPECT_TRUE(all || run.err.ends_with("as many as two seconds have room for; --records 64 takes all\n")) << run.err;
  EXPECT_TRUE(run.out.ends_with("\nNext: visqerror partial " + kFp32 + " " + kInt8 + " -d " + kData + "\n")) << run.out;
  const Json json = json_of({"--records", "64"});
  EXPECT_EQ(json["data"]["records"], Json({0, 64}));
  EXPECT_EQ(json["types"], Json({"output"}));
  EXPECT_EQ(json["metrics"], Json({"mse"}));
  const Json& nodes = json["nodes"];
  ASSERT_EQ(nodes.size(), 12U) << "11 nodes and the input";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i]["rank"], i + 1);
    if (i > 0) {
      EXPECT_GE(nodes[i - 1]["metrics"]["mse"], nodes[i]["metrics"]["mse"]);
    }
  }
}

TEST(SensitivityCommand, SortsByTheFirstMetricInItsOwnDirection) {
  const Json json = json_of({"--metrics", "sqnr,chebyshev", "--metrics", "cosine", "--types", "all", "--records", "4"});
  EXPECT_EQ(json["metrics"], Json({"sqnr", "atol", "cosine"}));
  const Json& nodes = json["nodes"];
  for (std::size_t i = 1; i < nodes.size(); ++i) EXPECT_LE(nodes[i - 1]["metrics"]["sqnr"], nodes[i]["metrics"]["sqnr"]);
  EXPECT_EQ(nodes[0]["rank_interval"].size(), 2U);
  EXPECT_TRUE(json["rank_interval"].is_string());
}

TEST(SensitivityCommand, WritesItsFilesAndConfigurations) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool(with({"-o", folder / "out", "--top", "2", "--write", "mpq=" + folder / "w.mpq.json", "--write",
                                           "denylist", "--write", "aeq", "--write", "inc", "--quiet"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.content(),
            (std::vector<std::string>{"out", "out/sensitive.aeq.json", "out/sensitive.denylist.json", "out/sensitive.op_name_dict.json",
                                      "out/sensitive_ops.csv", "out/sensitive_ops.txt", "out/sensitivity.json", "w.mpq.json"}));
  const Json json = Json::parse(read_text(folder / "out/sensitivity.json"));
  const Json worst = {json["nodes"][0]["op_name"], json["nodes"][1]["op_name"]};
  const Json mpq = Json::parse(read_text(folder / "w.mpq.json"));
  EXPECT_EQ(mpq["model_path"], "fp32.tflite");
  EXPECT_EQ(mpq["default_quantization_dtype"], "uint8");
  ASSERT_EQ(mpq["layers"].size(), 2U);
  EXPECT_EQ(mpq["layers"][0], Json({{"name", worst[0]}, {"dtype", "int16"}, {"granularity", "channel"}}));
  EXPECT_EQ(Json::parse(read_text(folder / "out/sensitive.denylist.json"))["denylisted_nodes"], worst);
  const Json inc = Json::parse(read_text(folder / "out/sensitive.op_name_dict.json"));
  EXPECT_EQ(inc[worst[0].get<std::string>()]["activation"]["dtype"], Json({"fp32"}));
  const Json aeq = Json::parse(read_text(folder / "out/sensitive.aeq.json"));
  ASSERT_GE(aeq.size(), 3U);  // one more for an operator that makes an output
  EXPECT_EQ(aeq[0]["regex"], ".*");
  EXPECT_EQ(aeq[1]["regex"], "^" + worst[0].get<std::string>() + ";");
  EXPECT_EQ(aeq[1]["algorithm_key"], "no_quantize");
  const std::string csv = read_text(folder / "out/sensitive_ops.csv");
  EXPECT_EQ(csv.substr(0, csv.find("\n")),
            "op_name,sensitive_type,op_type,consumers,mse,quant_dtype,threshold,bits,flops,flops_share,node,rank,rank_interval,records,"
            "differing_share,non_finite");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
}

/// Enough trials to be stopped in their middle.
std::vector<std::string> long_run(const std::string& out) {
  std::vector<std::string> words = with({"--types", "all", "--records", "64", "--threads", "1", "--verbose"});
  if (!out.empty()) words.insert(words.end(), {"-o", out});
  return words;
}

TEST(SensitivityCommand, AStoppedRunGoesOnToTheSameFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(long_run(folder / "whole")).exit_code, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const ProcessResult stopped = run_tool(long_run(folder / "out"), {.signal_after_start = signal});
    if (stopped.exit_code == 0) continue;  // it was done before the signal came
    EXPECT_EQ(stopped.exit_code, 128 + signal);
    const ProcessResult resumed = run_tool(long_run(folder / "out"));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    for (const char* name : {"sensitive_ops.txt", "sensitive_ops.csv", "sensitivity.json"}) {
      EXPECT_EQ(read_text(folder / ("out/" + std::string(name))), read_text(folder / ("whole/" + std::string(name)))) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "out/.visqerror"));
    std::filesystem::remove_all(folder / "out");
  }
}

TEST(SensitivityCommand, WithoutAFolderARunCannotBeResumedAndSaysSo) {
  const ProcessResult stopped = run_tool(long_run(""), {.signal_after_start = SIGINT});
  if (stopped.exit_code == 0) GTEST_SKIP() << "it was done before the signal came";
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_NE(stopped.err.find("visqerror: interrupted, nothing written; with -o DIR a run can be resumed\n"), std::string::npos)
      << stopped.err;
}

TEST(SensitivityCommand, ABrokenStateIsNotGoneOnFrom) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "out/.visqerror");
  write_text(folder / "out/.visqerror/sensitivity-0000.state", "rubbish");
  const ProcessResult run = run_tool(with({"-o", folder / "out"}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err.find("going on"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/.visqerror"));
}

TEST(SensitivityCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"sensitivity", kFp32}), 2, "sensitivity: two models are needed; see 'visqerror sensitivity --help'");
  expect_error(run_tool(with({"--types", "nodes"})), 2, "--types: unknown type 'nodes'; did you mean 'node'?");
  expect_error(run_tool(with({"--metrics", "srmse"})), 2,
               "--metrics: srmse is in units of the output's scale, and the output stays float here");
  expect_error(run_tool(with({"--memory", "much"})), 2, "--memory: 'much' is not an amount of memory such as 512M or 2G");
  expect_error(run_tool(with({"--write", "mpq"})), 2, "--write mpq: where to? Give mpq=FILE, or a folder with -o");
  expect_error(run_tool(with({"--write", "mqp=x"})), 2, "--write: unknown kind 'mqp'; did you mean 'mpq'?");
  expect_error(run_tool(with({"--write", "mpq=" + kFp32})), 2, kFp32 + ": would overwrite an input");
  expect_error(run_tool(with({"--output-node", "none", "--quiet"})), 2, "--output-node: no feature map 'none' in " + kFp32);
  expect_error(run_tool(with({"--ops", "WHILE", "--quiet"})), 2, "nothing that is quantized fits --types, --nodes and --ops");
  expect_error(run_tool({"sensitivity", kFp32, kFp32, "--quiet"}), 3,
               kFp32 + ": nothing is quantized in it that has a counterpart in " + kFp32);
}

}  // namespace
}  // namespace visq::testing
