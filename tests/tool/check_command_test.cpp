// `visqerror check` on the bundled example.
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(CheckCommand, FindsNothingSeriousInTheExample) {
  const ProcessResult run = run_tool({"check", kFp32, kInt8, "--json", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  const Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("check.schema.json", json), "");
  EXPECT_EQ(json["models"]["model"]["sha256"].get<std::string>().size(), 64U);
  for (const Json& finding : json["findings"]) EXPECT_EQ(finding["severity"], "hint") << finding;
  EXPECT_EQ(json["operators"], 11);
}

TEST(CheckCommand, OneModelHasNoReference) {
  const Json json = Json::parse(run_tool({"check", kFp32, "--json", "-"}).out);
  EXPECT_EQ(schema_violation("check.schema.json", json), "");
  EXPECT_TRUE(json["models"]["reference"].is_null());
}

TEST(CheckCommand, WritesItsFilesAndSaysWhatIsNext) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"check", kFp32, kInt8, "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.ends_with("Next: visqerror compare " + kFp32 + " " + kInt8 + " -d DATA\n")) << run.out;
  const std::string text = read_text(folder / "out/model_check_result.txt");
  EXPECT_NE(text.find("attribute"), std::string::npos) << "files hold the table of tensors";
  EXPECT_EQ(schema_violation("check.schema.json", Json::parse(read_text(folder / "out/check.json"))), "");
}

TEST(CheckCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"check"}), 2, "check: no model given; see 'visqerror check --help'");
  expect_error(run_tool({"check", kInt8, "--json", kInt8}), 2, kInt8 + ": would overwrite an input");
  expect_error_containing(run_tool({"check", "missing.tflite"}), 3, "missing.tflite");
}

}  // namespace
}  // namespace visq::testing
