// `visqerror compare` on dumps of feature maps instead of models.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "support/runs/data_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

class CompareDumps : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_tool({"run", kFp32, "-d", kData, "--records", "4", "-o", folder_ / "f.h5"}).exit_code, 0);
    ASSERT_EQ(run_tool({"run", kInt8, "-d", kData, "--records", "2:6", "-o", folder_ / "q.h5"}).exit_code, 0);
  }
  TemporaryFolder folder_;
};

TEST_F(CompareDumps, GivesWhatTheModelsGive) {
  const ProcessResult dumps = run_tool({"compare", folder_ / "f.h5", folder_ / "q.h5", "--metrics", "mse,sqnr", "--json", "-"});
  ASSERT_EQ(dumps.exit_code, 0) << dumps.err;
  EXPECT_NE(dumps.err.find("f.h5: 2 of its records, the first 0, are not in the other dump"), std::string::npos) << dumps.err;
  const ProcessResult models = run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "2:4", "--metrics", "mse,sqnr", "--json", "-"});
  ASSERT_EQ(models.exit_code, 0) << models.err;
  const Json of_dumps = Json::parse(dumps.out), of_models = Json::parse(models.out);
  EXPECT_EQ(schema_violation("compare.schema.json", of_dumps), "");
  int compared = 0;
  for (const Json& map : of_dumps["nodes"]) {
    for (const Json& other : of_models["nodes"]) {
      if (other["name"] != map["name"]) continue;
      EXPECT_EQ(map["metrics"], other["metrics"]) << map["name"];
      ++compared;
    }
  }
  EXPECT_GE(compared, 10);
}

TEST_F(CompareDumps, NamesThatDifferAreJoinedByAFile) {
  const auto maps = [&](const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", folder_ / "f.h5", folder_ / "other", "--metrics", "sqnr", "--json", "-", "--quiet"};
    if (!file.empty()) words.insert(words.end(), {"--map", file});
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  };
  // The same values as f.h5 has of one map, called otherwise.
  const auto values = values_of(folder_ / "f.h5", "logits/MatMul");
  for (std::size_t i = 0; i < values.size(); ++i) {
    Array array = make_array(DType::kFloat32, {1, 10});
    array.bytes = values[i];
    const std::string record = folder_ / ("other/" + std::to_string(i));
    std::filesystem::create_directories(record);
    write_bytes(record + "/scores.npy", npy("<f4", array));
    write_bytes(record + "/stem_Relu.npy", npy("<f4", array));  // a name of another map
  }
  write_text(folder_ / "names", "# of the other, of ours\nscores,logits/MatMul\n");
  const ProcessResult joined = maps(folder_ / "names", {"--nodes", "logits*"});
  ASSERT_EQ(joined.exit_code, 0) << joined.err;
  const Json json = Json::parse(joined.out);
  ASSERT_EQ(json["nodes"].size(), 1U);
  EXPECT_EQ(json["nodes"][0]["quantized"]["name"], "scores");
  EXPECT_EQ(json["nodes"][0]["paired_by"], "user");
  EXPECT_EQ(json["nodes"][0]["state"]["sqnr"], "inf");
  write_text(folder_ / "names", "logits/MatMul\tscores");
  expect_error(maps(folder_ / "names", {}), 2, "--map: " + (folder_ / "other") + " holds no map 'logits/MatMul'");
  write_text(folder_ / "names", "scores,logit");
  expect_error(maps(folder_ / "names", {}), 2, "--map: " + (folder_ / "f.h5") + " holds no map 'logit'");
  expect_error(run_tool({"compare", folder_ / "f.h5", kInt8, "--map", folder_ / "names"}), 2,
               "--map: goes with two dumps, or with a model, a device's dump of it and the data");
}

TEST_F(CompareDumps, TakesNoData) {
  const ProcessResult result = run_tool({"compare", folder_ / "f.h5", folder_ / "q.h5", "-d", kData});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("dumps of feature maps are compared as they are"), std::string::npos) << result.err;
}

TEST_F(CompareDumps, HaveNoOperatorsToRunAgain) {
  const ProcessResult result = run_tool({"compare", folder_ / "f.h5", folder_ / "q.h5", "--origin"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--origin: runs operators once more, so it needs models"), std::string::npos) << result.err;
}

TEST_F(CompareDumps, WithNothingInCommonAreRefused) {
  ASSERT_EQ(run_tool({"run", kInt8, "-d", kData, "--records", "8:9", "-o", folder_ / "late.h5"}).exit_code, 0);
  const ProcessResult result = run_tool({"compare", folder_ / "f.h5", folder_ / "late.h5"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("have no record in common"), std::string::npos) << result.err;
}

TEST_F(CompareDumps, AModelIsRunOnWhatTheDumpWasMadeOf) {
  const ProcessResult result = run_tool({"compare", folder_ / "f.h5", kInt8, "--metrics", "mse,sqnr", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json of_dump = Json::parse(result.out);
  EXPECT_EQ(schema_violation("compare.schema.json", of_dump), "");
  const ProcessResult models = run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "4", "--metrics", "mse,sqnr", "--json", "-"});
  const Json of_models = Json::parse(models.out);
  ASSERT_EQ(of_dump["nodes"].size(), of_models["nodes"].size());
  for (std::size_t i = 0; i < of_dump["nodes"].size(); ++i) {
    EXPECT_EQ(of_dump["nodes"][i]["quantized"]["name"], of_models["nodes"][i]["quantized"]["name"]);
    EXPECT_EQ(of_dump["nodes"][i]["metrics"], of_models["nodes"][i]["metrics"]);
  }
  EXPECT_EQ(of_dump["outputs"][0]["metrics"], of_models["outputs"][0]["metrics"]);
}

TEST_F(CompareDumps, BesideAModelTakeNoLabels) {
  const ProcessResult result = run_tool({"compare", folder_ / "f.h5", kInt8, "--labels", kData});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--labels: dumps hold no records to classify"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace visq::testing
