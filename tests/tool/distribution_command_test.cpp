// `visqerror distribution` on the bundled example.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(DistributionCommand, DrawsTheWorst) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"distribution", kFp32, kInt8, "-d", kData, "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.ends_with("Next: xdg-open " + folder / "out/distribution.html" + "\n")) << run.out;
  const Json json = Json::parse(read_text(folder / "out/distribution.json"));
  EXPECT_EQ(schema_violation("distribution.schema.json", json), "");
  int weights = 0, activations = 0, pictures = 0;
  for (const Json& each : json["distributions"]) (each["kind"] == "weight" ? weights : activations) += 1;
  for (const std::string& name : folder.content()) pictures += name.ends_with(".svg") ? 1 : 0;
  EXPECT_LE(weights, 5);
  EXPECT_EQ(activations, 5);
  EXPECT_EQ(pictures, weights + activations);
}

TEST(DistributionCommand, TakesAwayPicturesOfAnEarlierRun) {
  const TemporaryFolder folder;
  const auto pictures = [&] {
    std::set<std::string> found;
    for (const std::string& name : folder.content()) {
      if (name.ends_with(".svg")) found.insert(name);
    }
    return found;
  };
  std::filesystem::create_directory(folder / "out");
  write_text(folder / "out/mine.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  write_text(folder / "out/001-weight-mine.svg", "not drawn by us");
  ASSERT_EQ(run_tool({"distribution", kFp32, kInt8, "-d", kData, "--all", "-o", folder / "out"}).exit_code, 0);
  const auto all = pictures();
  ASSERT_EQ(run_tool({"distribution", kFp32, kInt8, "-d", kData, "--nodes", "logits*", "-o", folder / "out"}).exit_code, 0);
  const auto few = pictures();
  EXPECT_GT(all.size(), few.size() + 5);
  const auto json = Json::parse(read_text(folder / "out/distribution.json"));
  EXPECT_EQ(few.size(), json["distributions"].size() + 2);  // and the two that are not ours
}

TEST(DistributionCommand, AgreesWithCompare) {
  const Json compare = Json::parse(run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", "-"}).out);
  const Json all = Json::parse(run_tool({"distribution", kFp32, kInt8, "-d", kData, "--all", "--json", "-"}).out);
  EXPECT_EQ(schema_violation("distribution.schema.json", all), "");
  int found = 0;
  for (const Json& each : all["distributions"]) {
    for (const Json& node : compare["nodes"]) {
      if (each["kind"] != "activation" || node["name"] != each["name"]) continue;
      EXPECT_NEAR(each["sqnr"].get<double>(), node["metrics"]["sqnr"].get<double>(), 1e-4);
      EXPECT_NEAR(each["difference"]["max_abs"].get<double>(), node["metrics"]["atol"].get<double>(), 1e-6);
      ++found;
    }
  }
  EXPECT_EQ(found, 12);
}

TEST(DistributionCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"distribution", kFp32}), 2, "distribution: two models are needed; see 'visqerror distribution --help'");
  expect_error(run_tool({"distribution", kFp32, kInt8, "--axis", "x"}), 2, "--axis: 'x' is not a whole number from 0 to 64");
}

}  // namespace
}  // namespace visq::testing
