// `visqerror profile` on the bundled example.
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(ProfileCommand, AgreesWithCompare) {
  const Json profile = Json::parse(run_tool({"profile", kFp32, kInt8, "-d", kData, "--json", "-"}).out);
  const Json compare = Json::parse(run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", "-"}).out);
  EXPECT_EQ(schema_violation("profile.schema.json", profile), "");
  ASSERT_EQ(profile["models"].size(), 2U);
  int found = 0;
  for (const Json& tensor : profile["models"][0]["tensors"]) {
    for (const Json& node : compare["nodes"]) {
      if (node["name"] != tensor["name"]) continue;
      const Json& statistics = node["statistics"]["reference"];
      EXPECT_EQ(tensor["statistics"]["min"], statistics["min"]) << node["name"];
      EXPECT_EQ(tensor["statistics"]["max"], statistics["max"]);
      EXPECT_NEAR(tensor["statistics"]["mean"].get<double>(), statistics["mean"].get<double>(), 1e-5 * statistics["rms"].get<double>());
      ++found;
    }
  }
  EXPECT_EQ(found, 12);
  EXPECT_GT(profile["weights"].size(), 4U);
}

TEST(ProfileCommand, WritesItsFiles) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"profile", kFp32, kInt8, "-d", kData, "--records", "3", "--per-channel", "--time", "-o",
                                      folder / "out", "--write", "tensorboard=" + folder / "logs"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.content(),
            (std::vector<std::string>{"logs", "logs/events.out.tfevents.0.visqerror", "out", "out/channels.csv", "out/profile.json",
                                      "out/quantized_statistic.csv", "out/quantized_statistic.txt", "out/quantized_time.csv",
                                      "out/quantized_time.txt", "out/statistic.csv", "out/statistic.txt", "out/time.csv", "out/time.txt",
                                      "out/weights.csv", "out/weights.txt"}));
  EXPECT_EQ(read_text(folder / "out/statistic.csv").rfind("index,op,name,attribute,dtype,scale,zero point,min,max,mean,var,std,shape,", 0),
            0U);
  EXPECT_EQ(schema_violation("profile.schema.json", Json::parse(read_text(folder / "out/profile.json"))), "");
}

TEST(ProfileCommand, OneModelAlone) {
  const ProcessResult run = run_tool({"profile", kInt8, "-d", kData});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(run.out.ends_with("Next: visqerror inspect " + kInt8 + "\n")) << run.out;
}

TEST(ProfileCommand, RefusesWhatItCannotDo) {
  expect_error(run_tool({"profile"}), 2, "profile: no model given; see 'visqerror profile --help'");
  expect_error(run_tool({"profile", kInt8, "--write", "csv"}), 2, "--write: unknown kind 'csv'; profile writes tensorboard=DIR");
  expect_error(run_tool({"profile", kInt8, "--write", "tensorboard"}), 2, "--write: 'tensorboard' names no folder");
}

}  // namespace
}  // namespace visq::testing
