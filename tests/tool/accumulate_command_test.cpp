// `visqerror accumulate` and `visqerror partial` on the bundled example: files, rankings from sensitivity, what they refuse.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--quiet", "--json", "-"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out);
}

TEST(AccumulateCommand, WritesFourFilesOfTheSameNumbers) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--average", "--metrics", "mse,sqnr", "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.out.ends_with("Next: visqerror sensitivity " + kFp32 + " " + kInt8 + " -d " + kData + "\n")) << run.out;
  EXPECT_EQ(folder.content(),
            (std::vector<std::string>{"out", "out/accumulate.csv", "out/accumulate.json", "out/accumulate.svg", "out/accumulate.txt"}));
  const Json json = Json::parse(read_text(folder / "out/accumulate.json"));
  EXPECT_EQ(schema_violation("accumulate.schema.json", json), "");
  EXPECT_EQ(json["data"]["records"], Json({0, 64})) << "all records are the default";
  EXPECT_EQ(json["curves"][0]["label"], "weight");
  EXPECT_EQ(json["curves"][1]["label"], "activation");
  const std::string csv = read_text(folder / "out/accumulate.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  EXPECT_NE(csv.find("stem/Relu"), std::string::npos);
}

TEST(AccumulateCommand, LinesOfTheTerminalFit) {
  const ProcessResult run = run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--quantize", "*", "--keep-float", "weight", "--quantize",
                                      "stem/Relu", "--quantize", "features/*,hidden/*", "--metrics", "cosine,mse,sqnr", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(kFp32) == std::string::npos && line.find(kData) == std::string::npos) {
      EXPECT_LE(line.size(), 80U + 8U) << line;  // "…" has three bytes
    }
  }
}

TEST(AccumulateCommand, TakesTheWorstOfARanking) {
  const TemporaryFolder folder;
  const std::string ranking = folder / "a:b.json";
  ASSERT_EQ(run_tool({"sensitivity", kFp32, kInt8, "-d", kData, "--types", "weight,activation", "--json", ranking, "--quiet"}).exit_code,
            0);
  const Json ranked = Json::parse(read_text(ranking));
  const Json json = json_of({"accumulate", kFp32, kInt8, "-d", kData, "--records", "4", "--quantize", "@" + ranking + ":2", "--keep-float",
                             "@" + ranking + ":1"});
  EXPECT_EQ(schema_violation("accumulate.schema.json", json), "");
  EXPECT_EQ(json["curves"][0]["members"], Json({ranked["nodes"][0]["op_name"], ranked["nodes"][1]["op_name"]}));
  EXPECT_EQ(json["curves"][1]["members"].size(), 1U);
  EXPECT_EQ(json["curves"][1]["keep_float"], true);
}

TEST(AccumulateCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"accumulate", kFp32}), 2, "accumulate: two models are needed; see 'visqerror accumulate --help'");
  expect_error(run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--quantize", "stem/Rellu"}), 2,
               "--quantize: no node, weight or activation 'stem/Rellu'; did you mean 'stem/Relu'?");
  expect_error(run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--keep-float", "@r.json"}), 2,
               "--keep-float: '@r.json' is not @FILE:K, the K worst of a ranking");
  expect_error(run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--quantize", "@" + kInt8 + ":3"}), 3, kInt8 + ": is not JSON");
  expect_error_containing(run_tool({"accumulate", kFp32, kInt8, "-d", kData, "--memory", "1K"}), 3, "--memory");
  expect_error_containing(run_tool({"accumulate", kFp32, kFp32, "-d", kData}), 3, "nothing is quantized");
}

TEST(PartialCommand, WritesFourFiles) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"partial", kFp32, kInt8, "-d", kData, "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("the 10 worst are taken"), std::string::npos) << run.out;
  EXPECT_EQ(folder.content(),
            (std::vector<std::string>{"out", "out/partial.csv", "out/partial.json", "out/partial.svg", "out/partial.txt"}));
  const Json json = Json::parse(read_text(folder / "out/partial.json"));
  EXPECT_EQ(schema_violation("partial.schema.json", json), "");
  EXPECT_EQ(json["picked_by"], "worst");
  EXPECT_EQ(json["steps"].size(), 10U);
  EXPECT_GE(json["data"]["records"][1], 1) << "as many as there is time for";
}

TEST(PartialCommand, ARankingGivesWhatItFindsItself) {
  const TemporaryFolder folder;
  const std::string ranking = folder / "s.json";
  ASSERT_EQ(
      run_tool({"sensitivity", kFp32, kInt8, "-d", kData, "--records", "8", "--metrics", "cosine", "--json", ranking, "--quiet"}).exit_code,
      0);
  const double fifth = Json::parse(read_text(ranking))["nodes"][4]["metrics"]["cosine"];
  const std::vector<std::string> base{"partial", kFp32, kInt8, "-d", kData, "--records", "8", "--pick-threshold", fmt::format("{}", fifth)};
  std::vector<std::string> from = base;
  from.insert(from.end(), {"--from", ranking});
  Json own = json_of(base), read = json_of(from);
  EXPECT_EQ(schema_violation("partial.schema.json", read), "");
  EXPECT_EQ(own["picked_by"], "threshold");
  EXPECT_EQ(own["steps"].size(), 4U);
  EXPECT_EQ(read["ranking"], ranking);
  EXPECT_EQ(own["steps"], read["steps"]);
  EXPECT_EQ(own["none"], read["none"]);
}

TEST(PartialCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"partial", kFp32}), 2, "partial: two models are needed; see 'visqerror partial --help'");
  expect_error(run_tool({"partial", kFp32, kInt8, "--nodes", "*", "--pick-threshold", "0.9"}), 2,
               "--pick-threshold: has no meaning with --nodes, which picks all that it names");
  expect_error(run_tool({"partial", kFp32, kInt8, "-d", kData, "--from", kData}), 3, kData + ": is not JSON");
  const TemporaryFolder folder;
  write_text(folder / "r.json", R"({"schema":"visq.sensitivity/1","nodes":[{"op_name":"x","sensitive_type":"mode","rank":1}]})");
  expect_error(run_tool({"partial", kFp32, kInt8, "-d", kData, "--from", folder / "r.json"}), 3,
               folder / "r.json" + ": 'nodes[0].sensitive_type' is not output, node, node+output, weight, activation or input-N");
}

}  // namespace
}  // namespace visq::testing
