// `visqerror run` and `visqerror dot` on the bundled example.
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"
#include "visq/dump.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(Run, WritesTheMapsOfTheChosenRecords) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"run", kInt8, "-d", kData, "--records", "5:7", "-o", folder / "maps.h5"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out.rfind(folder / "maps.h5" + ": 24 feature maps of 2 records, fake-quant, from " + kInt8 + "\n", 0), 0U) << run.out;
  EXPECT_EQ(folder.content(), std::vector<std::string>{"maps.h5"});
  const auto dump = open_dump(folder / "maps.h5");
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ((*dump)->records(), (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ((*dump)->model(), "int8.tflite");
  EXPECT_EQ((*dump)->tensors(5)->size(), 12U);
}

TEST(Run, TellsWhatItDidAsJson) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"run", kFp32, "-d", kData, "--records", "1", "--ops", "CONV_2D", "-o", folder / "m.h5", "--json", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("run.schema.json", json), "");
  EXPECT_EQ(json["schema"], "visq.run/1");
  EXPECT_EQ(json["mode"], "fp32");
  EXPECT_EQ(json["feature_maps"], 3);
  EXPECT_EQ(json["not_computed"], Json::array());
}

TEST(Dot, DrawsWhatCompareWrote) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool({"compare", kFp32, kInt8, "-d", kData, "--metrics", "mse", "-o", folder / "out"}).exit_code, 0);
  const ProcessResult found = run_tool({"dot", folder / "out/fp32.mse.visq.json"});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(found.out, read_text(folder / "out/fp32.mse.visq.json.dot")) << "the picture is the one that compare drew";
  const ProcessResult given = run_tool({"dot", folder / "out/fp32.mse.visq.json", kFp32, "-o", folder / "x.dot"});
  EXPECT_EQ(given.exit_code, 0) << given.err;
  EXPECT_EQ(read_text(folder / "x.dot"), found.out);
  EXPECT_EQ(run_tool({"dot", folder / "out/fp32.mse.visq.json"}, {.close_stdout = true}).exit_code, 0);
}

}  // namespace
}  // namespace visq::testing
