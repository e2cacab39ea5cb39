// `visqerror badcase` and `--records worst` on the bundled example.
#include <csignal>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out);
}

TEST(BadcaseCommand, AgreesWithEveryRecordOfCompare) {
  const Json all = json_of({"compare", kFp32, kInt8, "-d", kData, "--per-record", "--nodes", "Identity"});
  const Json bad = json_of({"badcase", kFp32, kInt8, "-d", kData, "--metrics", "atol,cosine"});
  EXPECT_EQ(schema_violation("badcase.schema.json", bad), "");
  const Json& records = all["nodes"][0]["per_record"];
  ASSERT_EQ(records.size(), 64U);
  std::size_t atol = 0, cosine = 0;
  for (std::size_t r = 1; r < records.size(); ++r) {
    if (records[r]["metrics"]["atol"] > records[atol]["metrics"]["atol"]) atol = r;
    if (records[r]["metrics"]["cosine"] < records[cosine]["metrics"]["cosine"]) cosine = r;
  }
  ASSERT_EQ(bad["cases"].size(), 2U);
  EXPECT_EQ(bad["cases"][0]["record"], atol);
  EXPECT_EQ(bad["cases"][0]["metrics"], records[atol]["metrics"]);
  EXPECT_EQ(bad["cases"][1]["record"], cosine);
}

TEST(BadcaseCommand, SavesWhatEveryCommandReads) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"badcase", kFp32, kInt8, "-d", kData, "--save", folder / "worst.h5", "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.ends_with("Next: visqerror compare " + kFp32 + " " + kInt8 + " -d " + folder / "worst.h5" + "\n")) << run.out;
  EXPECT_EQ(folder.content(), (std::vector<std::string>{"out", "out/badcase.json", "out/badcase.txt", "worst.h5"}));
  const Json bad = Json::parse(read_text(folder / "out/badcase.json"));
  const Json again = json_of({"badcase", kFp32, kInt8, "-d", folder / "worst.h5"});
  EXPECT_EQ(again["cases"][0]["record"], 0);
  EXPECT_EQ(again["cases"][0]["metrics"], bad["cases"][0]["metrics"]);
  EXPECT_EQ(run_tool({"run", kInt8, "-d", folder / "worst.h5", "-o", folder / "maps.h5"}).exit_code, 0);
}

TEST(BadcaseCommand, RecordsWorstAreThoseThatItFinds) {
  const Json bad = json_of({"badcase", kFp32, kInt8, "-d", kData});
  const Json worst = json_of({"compare", kFp32, kInt8, "-d", kData, "--records", "worst"});
  EXPECT_EQ(worst["outputs"][0]["metrics"]["atol"], bad["cases"][0]["metrics"]["atol"]);
  EXPECT_EQ(worst["data"]["records"], Json({0, 1}));
  const std::string record = std::to_string(bad["cases"][0]["record"].get<int>());
  EXPECT_EQ(worst["data"]["file"], kData + " (record " + record + ")");
  EXPECT_EQ(json_of({"compare", kFp32, kInt8, "-d", kData, "--records", "worst:5"})["data"]["records"], Json({0, 5}));
}

TEST(BadcaseCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"badcase", kFp32}), 2, "badcase: two models are needed; see 'visqerror badcase --help'");
  expect_error(run_tool({"badcase", kFp32, kInt8, "-d", kData, "--save", kData}), 2, kData + ": would overwrite an input");
  expect_error(run_tool({"run", kInt8, "-d", kData, "--records", "worst", "-o", "/tmp/never.h5"}), 2,
               "--records worst: one model has no worst record; give a command that takes a pair");
  expect_error(run_tool({"compare", kFp32, kInt8, "--records", "worst:0"}), 2, "--records: 'worst:0' is not worst:K with K from 1");
}

}  // namespace
}  // namespace visq::testing
