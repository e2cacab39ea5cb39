#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "support/results/report_results.h"
#include "support/runs/process.h"
#include "visq/report.h"

namespace visq {
namespace {

using nlohmann::json;
using testing::finite_value;

json written(const CompareResult& result, std::string_view metric, const ReportOptions& options = {},
             const std::string& path = "chain.mse.visq.json") {
  return json::parse(visq_json(result, metric_named(metric), path, options));
}

CompareResult two_values() {
  CompareResult result = testing::chain_result({"in", "a", "b", "c"});
  testing::set_metric(result.maps[1], "mse", finite_value(1.2e-5));
  testing::set_metric(result.maps[2], "mse", finite_value(0.1));
  return result;
}

TEST(VisqJson, IsWhatTheViewerReads) {
  CompareResult result = testing::chain_result({"in", "a", "b"});
  testing::set_metric(result.maps[1], "mse", finite_value(0));
  testing::set_metric(result.maps[2], "mse", finite_value(9));
  std::string text = visq_json(result, metric_named("mse"), "chain.mse.visq.json", {.title = "my title", .colors = ColorScale::kLinear});
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == ' '; }), text.end());
  EXPECT_EQ(text, R"({"meta":{"model":"chain.tflite","metric":"MSE","title":"mytitle","colorscheme":[)"
                  R"({"b":0.0,"e":1.0,"c":"#ffffcc"},{"b":1.0,"e":2.0,"c":"#ffeda0"},{"b":2.0,"e":3.0,"c":"#fed976"},)"
                  R"({"b":3.0,"e":4.0,"c":"#feb24c"},{"b":4.0,"e":5.0,"c":"#fd8d3c"},{"b":5.0,"e":6.0,"c":"#fc4e2a"},)"
                  R"({"b":6.0,"e":7.0,"c":"#e31a1c"},{"b":7.0,"e":8.0,"c":"#bd0026"},{"b":8.0,"e":9.000009,"c":"#800026"}]},)"
                  R"("error":[{"a":0.0,"b":9.0}]})");
  EXPECT_FALSE(written(two_values(), "mse")["meta"].contains("title"));
  EXPECT_EQ(written(two_values(), "mse")["error"], json::parse(R"([{"a": 1.2e-05, "b": 0.1}])"));
}

TEST(VisqJson, KeepsGraphOrderAndHasOneObjectPerSubgraph) {
  const CompareResult complete = testing::complete_result();
  const json document = written(complete, "mse");
  ASSERT_EQ(document["error"].size(), 2U);
  EXPECT_EQ(document["error"][0], json::parse(R"({"conv": 0.25, "left": 0.5, "right": 1.0})"));
  EXPECT_TRUE(document["error"][1].is_object());
  EXPECT_TRUE(document["error"][1].empty()) << "not compared";
  CompareResult reversed = testing::chain_result({"in", "z", "a"});
  for (MapComparison& map : reversed.maps) testing::set_metric(map, "mse", finite_value(1));
  const std::string text = visq_json(reversed, metric_named("mse"), "x", {});
  EXPECT_LT(text.find("\"z\""), text.find("\"a\""));
}

TEST(VisqJson, NamesTheModelRelativeToItself) {
  CompareResult result = two_values();
  const auto model = [&](const std::string& path) { return written(result, "mse", {}, path)["meta"]["model"].get<std::string>(); };
  EXPECT_EQ(model("x.visq.json"), "chain.tflite");
  EXPECT_EQ(model("out/deep/x.visq.json"), "../../chain.tflite");
  result.reference.path = "models/chain.tflite";
  EXPECT_EQ(model("models/x.visq.json"), "chain.tflite");
  EXPECT_EQ(model("out/x.visq.json"), "../models/chain.tflite");
  result.reference.path = "/somewhere/chain.tflite";
  EXPECT_EQ(model("/somewhere/x.visq.json"), "chain.tflite");
}

TEST(VisqJson, HoldsFiniteNumbersOnlyAndLeavesOutNodesWithoutOne) {
  CompareResult result = two_values();
  testing::set_metric(result.maps[1], "sqnr", testing::infinite_value());
  testing::set_metric(result.maps[2], "sqnr", finite_value(20));
  EXPECT_EQ(written(result, "sqnr")["error"], json::parse(R"([{"b": 20.0}])"));
  const std::string empty = visq_json(result, metric_named("srmse"), "x", {});
  EXPECT_EQ(json::parse(empty)["error"], json::parse("[{}]"));
  for (const char* word : {"nan", "NaN", "inf", "Inf", "null"}) EXPECT_EQ(empty.find(word), std::string::npos) << word;
}

TEST(VisqJson, GivesTheLargestTaeToNodesWhoseErrorIsUnknown) {
  CompareResult result = testing::complete_result();
  testing::set_metric(result.maps[1], "tae", finite_value(3));
  testing::set_metric(result.maps[2], "tae", finite_value(7));
  // in and right have no number; best holds indices; body was not compared.
  EXPECT_EQ(written(result, "tae")["error"], json::parse(R"([{"in": 7.0, "conv": 3.0, "left": 7.0, "right": 7.0}, {"body": 7.0}])"));
  result.maps[0].reference_statistics.elements = 0;
  EXPECT_FALSE(written(result, "tae")["error"][0].contains("in")) << "a map without elements has no error";
}

TEST(VisqJson, ColoursEveryValueAsTheViewerTests) {
  CompareResult result = testing::chain_result({"in", "a", "b", "c", "d"});
  const double values[] = {0.3, 1e-7, 0.1 + 0.2, 0.30000000000000004, 1e-30};
  for (std::size_t i = 0; i < 5; ++i) {
    testing::set_metric(result.maps[i], "mse", finite_value(values[i]));
    testing::set_metric(result.maps[i], "sqnr", finite_value(-values[i]));
  }
  for (const char* metric : {"mse", "sqnr"}) {
    const json document = written(result, metric);
    for (const auto& [name, value] : document["error"][0].items()) {
      int colors = 0;
      for (const json& bin : document["meta"]["colorscheme"]) {
        colors += bin["b"].get<double>() <= value.get<double>() && value.get<double>() < bin["e"].get<double>();
      }
      EXPECT_EQ(colors, 1) << metric << " " << name;
    }
  }
}

TEST(VisqJson, KeepsHostileNamesApart) {
  CompareResult result = testing::chain_result(testing::hostile_names());
  for (MapComparison& map : result.maps) testing::set_metric(map, "mse", finite_value(1));
  result.reference.path = "dir\n\"\xff/m.tflite";
  const json document = written(result, "mse");
  EXPECT_EQ(document["error"][0].size(), testing::hostile_names().size());
  EXPECT_TRUE(document["error"][0].contains("quote\"apostrophe'"));
  EXPECT_TRUE(document["error"][0].contains("line\nbreak\r\ttab"));
}

class VisqFileTest : public ::testing::Test {
 protected:
  Result<VisqFile> read(std::string_view text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_visq_json(path_);
  }
  std::string message(std::string_view text) {
    const auto file = read(text);
    return file.ok() ? "no error" : file.error().message;
  }
  testing::TemporaryFolder folder_;  // of its own: ctest runs these tests at the same time
  std::string path_ = folder_ / "test.visq.json";
};

TEST_F(VisqFileTest, ReadsWhatVisqJsonWrites) {
  const auto file =
      read(visq_json(two_values(), metric_named("mse"), "chain.mse.visq.json", {.title = "title", .colors = ColorScale::kLinear}));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->model, folder_ / "chain.tflite");
  EXPECT_EQ(file->metric, "MSE");
  EXPECT_EQ(file->title, "title");
  ASSERT_EQ(file->bins.size(), 9U);
  EXPECT_EQ(file->bins[8].color, "#800026");
  ASSERT_EQ(file->errors.size(), 1U);
  EXPECT_EQ(file->errors[0], (std::vector<std::pair<std::string, double>>{{"a", 1.2e-5}, {"b", 0.1}}));
}

TEST_F(VisqFileTest, TellsWhatIsWrong) {
  const auto with_scheme = [](const std::string& scheme) {
    return R"({"meta":{"model":"m","metric":"MSE","colorscheme":)" + scheme + R"(},"error":[{}]})";
  };
  EXPECT_EQ(message("not JSON"), path_ + ": is not JSON");
  EXPECT_EQ(message("{\"meta\": {\"model\""), path_ + ": is not JSON");
  EXPECT_EQ(message(std::string(100000, '[')), path_ + ": is not JSON");
  EXPECT_EQ(message("[]"), path_ + ": 'meta' is not an object");
  EXPECT_EQ(message(R"({"meta":{}})"), path_ + ": 'meta.model' is not a string");
  EXPECT_EQ(message(R"({"meta":{"model":7}})"), path_ + ": 'meta.model' is not a string");
  EXPECT_EQ(message(R"({"meta":{"model":"m"}})"), path_ + ": 'meta.metric' is not a string");
  EXPECT_EQ(message(R"({"meta":{"model":"m","metric":"MSE","title":1}})"), path_ + ": 'meta.title' is not a string");
  EXPECT_EQ(message(with_scheme("7")), path_ + ": 'meta.colorscheme' is not an array");
  for (const char* bin : {"{}", "7", R"({"b":0,"e":1})", R"({"b":"0","e":1,"c":"#ffffff"})", R"({"b":0,"e":1,"c":"red"})",
                          R"({"b":0,"e":1,"c":"#fffff\""})"}) {
    EXPECT_EQ(message(with_scheme(std::string("[") + bin + "]")),
              path_ + ": 'meta.colorscheme[0]' does not hold numbers b and e and a colour c like \"#ffffcc\"")
        << bin;
  }
  EXPECT_EQ(message(R"({"meta":{"model":"m","metric":"MSE","colorscheme":[]}})"), path_ + ": 'error' is not an array");
  EXPECT_EQ(message(R"({"meta":{"model":"m","metric":"MSE","colorscheme":[]},"error":[7]})"), path_ + ": 'error[0]' is not an object");
  EXPECT_EQ(message(R"({"meta":{"model":"m","metric":"MSE","colorscheme":[]},"error":[{"a":null}]})"),
            path_ + ": 'error[0]' holds something that is not a number");
  const auto missing = read_visq_json("/nowhere/x.visq.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "/nowhere/x.visq.json: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace visq
