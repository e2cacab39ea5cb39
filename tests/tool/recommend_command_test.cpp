// `visqerror recommend` on the bundled example.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(RecommendCommand, FrontRisesWithItsCost) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"recommend", kFp32, kInt8, "-d", kData, "-o", folder / "out", "--write", "aeq", "--write", "denylist"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.content(), (std::vector<std::string>{"out", "out/recommend.json", "out/recommend.svg", "out/recommend.txt",
                                                        "out/sensitive.aeq.json", "out/sensitive.denylist.json"}));
  const Json result = Json::parse(read_text(folder / "out/recommend.json"));
  EXPECT_EQ(schema_violation("recommend.schema.json", result), "");
  const Json& front = result["front"];
  ASSERT_GE(front.size(), 2U);
  EXPECT_TRUE(front[0]["operators"].empty());
  EXPECT_EQ(front[0]["added_bytes"], 0);
  for (std::size_t i = 1; i < front.size(); ++i) {
    EXPECT_GT(front[i]["sqnr"], front[i - 1]["sqnr"]);
    EXPECT_GE(front[i]["added_bytes"], front[i - 1]["added_bytes"]);
    EXPECT_GT(front[i]["operators"].size(), front[i - 1]["operators"].size());
  }
  const Json recipe = Json::parse(read_text(folder / "out/sensitive.aeq.json"));
  const auto ends = std::count_if(recipe.begin(), recipe.end(),
                                  [](const Json& rule) { return rule["operation"] == "INPUT" || rule["operation"] == "OUTPUT"; });
  EXPECT_EQ(recipe.size(), result["layers"].size() + 1 + static_cast<std::size_t>(ends));
}

/// As good as the int16x8 model that a converter made of the same float model, not as float.
TEST(RecommendCommand, SixteenBitsPromiseWhatAConverterDelivers) {
  const Json result = Json::parse(run_tool({"recommend", kFp32, kInt8, "-d", kData, "--records", "64", "--quiet", "--to", "int16",
                                            "--target", "sqnr=500", "--json", "-"})
                                      .out);
  const Json& all = result["front"].back();
  EXPECT_EQ(all["operators"].size(), 11U);
  EXPECT_EQ(all["conversions"], 0);
  const Json made = Json::parse(run_tool({"compare", kFp32, example("int16x8.tflite"), "-d", kData, "--quiet", "--json", "-"}).out);
  const auto delivered =
      std::find_if(made["nodes"].begin(), made["nodes"].end(), [](const Json& node) { return node["name"] == "Identity"; });
  ASSERT_NE(delivered, made["nodes"].end());
  EXPECT_NEAR(all["sqnr"].get<double>(), (*delivered)["metrics"]["sqnr"].get<double>(), 1);
}

TEST(RecommendCommand, FourBitsSaveBytesForALossThatIsTold) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--to", "int4", "--target", "sqnr=20", "--write",
                                      "aeq=" + folder / "recipe.json", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_EQ(schema_violation("recommend.schema.json", result), "");
  const Json& front = result["front"];
  for (std::size_t i = 1; i < front.size(); ++i) EXPECT_LT(front[i]["added_bytes"], front[i - 1]["added_bytes"]);
  const auto chosen = result["chosen"].get<std::size_t>();
  EXPECT_GE(front[chosen]["sqnr"], 20);
  if (chosen + 1 < front.size()) {
    EXPECT_LT(front[chosen + 1]["sqnr"], 20);
  }
  const Json recipe = Json::parse(read_text(folder / "recipe.json"));
  ASSERT_EQ(recipe.size(), result["layers"].size() + 1);
  EXPECT_EQ(recipe[1]["op_config"]["weight_tensor_config"]["num_bits"], 4);
  EXPECT_EQ(recipe[1]["op_config"]["activation_tensor_config"]["num_bits"], 8);
}

TEST(RecommendCommand, SixteenBitsLeaveWeightsTheirEight) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--to", "int16", "--write",
                                      "inc=" + folder / "inc.json", "--write", "aeq=" + folder / "aeq.json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json operators = Json::parse(read_text(folder / "inc.json"));
  ASSERT_FALSE(operators.empty());
  EXPECT_EQ(operators.begin()->at("activation").at("dtype"), Json::array({"int16"}));
  EXPECT_EQ(operators.begin()->at("weight").at("dtype"), Json::array({"int8"}));
  const Json recipe = Json::parse(read_text(folder / "aeq.json"));
  ASSERT_GE(recipe.size(), 2U);
  EXPECT_EQ(recipe[1]["op_config"]["activation_tensor_config"]["num_bits"], 16);
  EXPECT_EQ(recipe[1]["op_config"]["weight_tensor_config"]["num_bits"], 8);
}

TEST(RecommendCommand, QuantizersThatCannotBeToldOfFourBitsAreNot) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--to", "int4", "--write", "mpq=" + folder / "c.json"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("aeq can"), std::string::npos) << run.err;
}

TEST(RecommendCommand, RepairsThatNeedNoCalibrationDoNotAskForIt) {
  const std::string fault = VISQ_SHARED_DIR "/faults/act_clip-digits_plain-1/";
  if (!std::filesystem::exists(fault)) GTEST_SKIP() << fault << " is not there";
  const Json result = Json::parse(
      run_tool({"recommend", fault + "fp32.tflite", fault + "quant.tflite", "-d", fault + "data.h5", "--quiet", "--json", "-"}).out);
  ASSERT_FALSE(result["repairs"].empty());
  for (const Json& repair : result["repairs"]) {
    EXPECT_EQ(repair["fix"].get<std::string>().find("calibrat"), std::string::npos) << repair["fix"];
  }
}

TEST(RecommendCommand, EndsAtItsTarget) {
  const Json result = Json::parse(run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--target", "sqnr=55", "--json", "-"}).out);
  const Json& chosen = result["front"][result["chosen"].get<std::size_t>()];
  EXPECT_TRUE(result["target_met"]);
  EXPECT_GE(chosen["sqnr"], 55);
  const ProcessResult beyond = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--target", "sqnr=500", "--json", "-"});
  EXPECT_FALSE(Json::parse(beyond.out)["target_met"]);
  EXPECT_NE(beyond.err.find("the target is not met"), std::string::npos);
}

TEST(RecommendCommand, KeepsToItsBudget) {
  const Json result = Json::parse(run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--budget", "3000", "--json", "-"}).out);
  for (const Json& point : result["front"]) EXPECT_LE(point["added_bytes"], 3000);
  EXPECT_EQ(result["chosen"], result["front"].size() - 1);
}

TEST(RecommendCommand, TellsWhatEverySetLosesInAccuracy) {
  const Json result = Json::parse(run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--labels", example("labels.npy"),
                                            "--target", "accuracy_drop=1", "--json", "-"})
                                      .out);
  for (const Json& point : result["front"]) EXPECT_TRUE(point["accuracy_drop"].is_number());
  EXPECT_TRUE(result["target_met"]);
}

/// The n-th call prints the n-th of these numbers; its file is kept under its number.
std::string counting_program(const TemporaryFolder& folder, const std::string& numbers) {
  const std::string script = folder / "judge.sh", calls = folder / "calls";
  write_text(script, "echo x >> '" + calls + "'; n=$(wc -l < '" + calls + "'); cp \"$1\" '" + (folder / "outputs") + "'$n.h5; echo '" +
                         numbers + "' | cut -d' ' -f$n\n");
  return "sh '" + script + "'";
}

/// MSE of the outputs that the program was given in its n-th call and those of a run of the model.
Json difference(const TemporaryFolder& folder, const std::string& call, const std::string& model) {
  const std::string own = folder / ("run" + call + ".h5");
  EXPECT_EQ(run_tool({"run", model, "-d", kData, "--nodes", "Identity", "-o", own}).exit_code, 0);
  return Json::parse(run_tool({"compare", own, folder / ("outputs" + call + ".h5"), "--json", "-"}).out);
}

TEST(RecommendCommand, AProgramOfTheUsersSaysWhatEverySetLoses) {
  const TemporaryFolder folder;
  std::string numbers = "0.9 0.5";
  for (int i = 0; i < 30; ++i) numbers += " 0.895";
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--records", "8", "--eval",
                                      counting_program(folder, numbers), "--target", "accuracy_drop=1", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_NEAR(result["front"][0]["accuracy_drop"].get<double>(), 40, 1e-9);
  for (std::size_t i = 1; i < result["front"].size(); ++i) EXPECT_NEAR(result["front"][i]["accuracy_drop"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(result["chosen"], 1);
  // It is given the float model's outputs first, then those of the set without an operator: the quantized model's.
  for (const auto& [call, model] : {std::pair("1", kFp32), std::pair("2", kInt8)}) {
    const Json same = difference(folder, call, model);
    ASSERT_EQ(same["nodes"].size(), 1U) << call;
    EXPECT_EQ(same["nodes"][0]["metrics"]["mse"], 0) << call;
  }
}

TEST(RecommendCommand, AProgramThatFailsIsNamed) {
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--quiet", "--records", "2", "--eval", "exit 3;"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.err.find("ended with exit code 3"), std::string::npos) << run.err;
}

TEST(RecommendCommand, NothingToRepairIsNotWritten) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"recommend", kFp32, kInt8, "-d", kData, "--write-model", folder / "fixed.tflite"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("nothing to repair"), std::string::npos) << run.err;
  EXPECT_TRUE(folder.content().empty());
}

TEST(RecommendCommand, SameBytesWithAnyNumberOfThreads) {
  const auto json = [](const std::string& threads) {
    return run_tool({"recommend", kFp32, kInt8, "-d", kData, "--threads", threads, "--quiet", "--json", "-"}).out;
  };
  const std::string one = json("1");
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, json("3"));
}

TEST(RecommendCommand, RefusesBadOptions) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--target", "psnr=3"},
                                                  {"--target", "accuracy_drop=1"},
                                                  {"--labels", "x.npy", "--eval", "true"},
                                                  {"--labels", "x.npy", "--records", "worst"},
                                                  {"--to", "int8"},
                                                  {"--to", "int4", "--budget", "1K"},
                                                  {"--budget", "lots"},
                                                  {"--write", "yaml=f"}}) {
    std::vector<std::string> arguments{"recommend", kFp32, kInt8, "-d", kData};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run_tool(arguments).exit_code, 2) << options[0] << " " << options[1];
  }
}

/// The recipe is one that the real quantizer takes, and its model is as good as was said.
TEST(RecommendCommand, TheRealQuantizerTakesItsRecipe) {
  const char* wanted = std::getenv("VISQ_QUANTIZER_PYTHON");
  const std::string python = wanted != nullptr ? wanted : "python3";
  if (run_process({python, "-c", "import ai_edge_quantizer, ai_edge_litert, h5py"}).exit_code != 0) {
    GTEST_SKIP() << "the AI Edge Quantizer (a PyPI package) is not there; VISQ_QUANTIZER_PYTHON names a Python that has it";
  }
  const std::string script = std::string(VISQ_SOURCE_DIR) + "/tests/recommend/check_recipe.py";
  const ProcessResult run = run_process({python, script, VISQ_BINARY, kFp32, kData});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
}

}  // namespace
}  // namespace visq::testing
