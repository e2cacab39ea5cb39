#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/results/report_results.h"
#include "support/results/report_schema.h"
#include "visq/report.h"

namespace visq {
namespace {

using nlohmann::json;

json schema() { return json::parse(std::ifstream(VISQ_SOURCE_DIR "/schema/compare.schema.json")); }

void expect_valid(const CompareResult& result) {
  const std::vector<std::string> errors = testing::schema_errors(schema(), json::parse(result_json(result)));
  for (const std::string& error : errors) ADD_FAILURE() << error;
}

TEST(ResultJson, FollowsItsSchema) {
  expect_valid(testing::complete_result());
  expect_valid({});
  CompareResult hostile = testing::chain_result(testing::hostile_names());
  hostile.reference.path = hostile.data = "\xff\n\"";
  expect_valid(hostile);
}

TEST(ResultJson, AndTheSchemaNoticesWhatDoesNot) {
  const auto faults = [](const json& document) { return testing::schema_errors(schema(), document).size(); };
  const json good = json::parse(result_json(testing::complete_result()));
  ASSERT_EQ(faults(good), 0U);
  for (const char* key : {"schema", "models", "nodes", "match", "accuracy"}) {
    json bad = good;
    bad.erase(key);
    EXPECT_EQ(faults(bad), 1U) << key;
  }
  json bad = good;
  bad["nodes"][1]["metrics"]["mse"] = "NaN";
  bad["nodes"][1]["state"]["sqnr"] = "none";
  bad["nodes"][1]["surprise"] = 1;
  bad["modes"] = {"fp32"};
  EXPECT_EQ(faults(bad), 4U);
}

TEST(ResultJson, HoldsEverything) {
  const json document = json::parse(result_json(testing::complete_result()));
  EXPECT_EQ(document["schema"], "visq.compare/1");
  EXPECT_EQ(document["models"], json::parse(R"({"reference": {"file": "chain.tflite", "sha256": "aa"},
                                                "quantized": {"file": "chain8.tflite", "sha256": "bb"}})"));
  EXPECT_EQ(document["data"], json::parse(R"({"file": "data.h5", "records": [0, 16]})"));
  EXPECT_EQ(document["modes"], json::parse(R"(["fp32", "fake-quant"])"));
  EXPECT_TRUE(document["accuracy"].is_null());
  ASSERT_EQ(document["nodes"].size(), 6U);

  const json& conv = document["nodes"][1];
  EXPECT_EQ(conv["index"], 0);
  EXPECT_EQ(conv["name"], "conv");
  EXPECT_EQ(conv["op"], "CONV_2D");
  EXPECT_EQ(conv["quantized"]["name"], "conv;Relu");
  EXPECT_EQ(conv["quantized"]["dtype"], "int8");
  EXPECT_EQ(conv["quantized"]["scale"], json::parse("[0.5, 0.25]"));
  EXPECT_EQ(conv["paired_by"], "structure");
  EXPECT_EQ(conv["shape"], json::parse("[1, 4]"));
  EXPECT_EQ(conv["metrics"]["mse"], 0.25);
  EXPECT_TRUE(conv["metrics"]["sqnr"].is_null());
  EXPECT_EQ(conv["state"]["sqnr"], "inf");
  EXPECT_EQ(conv["state"]["srmse"], "undefined");
  EXPECT_FALSE(conv["state"].contains("mse"));
  EXPECT_EQ(conv["record"], json::parse(R"({"atol": 3})"));
  EXPECT_EQ(conv["verdict"], "rounding only");
  EXPECT_EQ(conv["statistics"]["reference"]["first_non_finite"], json::parse(R"({"record": 7, "element": 2})"));
  EXPECT_EQ(conv["per_record"].size(), 1U);
  EXPECT_EQ(conv["per_channel"].size(), 2U);

  EXPECT_EQ(document["nodes"][0]["index"], -1);
  EXPECT_EQ(document["nodes"][4]["differing_share"], 0.125);
  EXPECT_EQ(document["nodes"][4]["metrics"], json::object());
  EXPECT_EQ(document["nodes"][5]["not_compared"], "shapes [2] and [3] differ");
  EXPECT_EQ(document["outputs"][0]["name"], "right");
  EXPECT_EQ(document["outputs"][0]["metrics"]["sqnr"], 20.0);
  EXPECT_EQ(document["anomalies"][0]["record"], 7);
  EXPECT_TRUE(document["anomalies"][1]["record"].is_null());
  EXPECT_EQ(document["match"]["unpaired"][0]["reason"], "QUANTIZE inserted");
  EXPECT_EQ(document["match"]["unpaired"][0]["model"], "quantized");
  EXPECT_EQ(document["match"]["warnings"][0], "the weights have nothing in common");
  EXPECT_EQ(document["not_computed"][0]["op"], "FlexFoo");
}

TEST(ResultJson, WritesScalesAsTheFileHoldsThem) {
  CompareResult result = testing::chain_result({"in", "a"});
  result.maps[1].quantized.scale = {0.0235F, std::numeric_limits<float>::quiet_NaN()};
  const std::string text = result_json(result);
  EXPECT_NE(text.find("0.0235,\n"), std::string::npos);
  EXPECT_TRUE(json::parse(text)["nodes"][1]["quantized"]["scale"][1].is_null());
}

}  // namespace
}  // namespace visq
