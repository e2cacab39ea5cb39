// `visqerror diagnose` on the bundled example.
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/model_edit.h"
#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;

TEST(DiagnoseCommand, WritesAllFilesAndValidJson) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--validation-data", kData, "-o", folder / "out", "--records", "0:8"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.content(),
            (std::vector<std::string>{"out", "out/diagnose.json", "out/diagnose.txt", "out/quant_loss_cs_repr.svg",
                                      "out/quant_loss_cs_val.svg", "out/quant_loss_mse_repr.svg", "out/quant_loss_mse_val.svg",
                                      "out/quant_loss_sqnr_repr.svg", "out/quant_loss_sqnr_val.svg"}));
  const Json result = Json::parse(read_text(folder / "out/diagnose.json"));
  EXPECT_EQ(schema_violation("diagnose.schema.json", result), "");
  EXPECT_EQ(result["mode"], "integer");
  EXPECT_EQ(result["layers"].size(), 12U);
  EXPECT_EQ(result["validation"].size(), 12U);
}

TEST(DiagnoseCommand, MeasuresAccuracyByLabels) {
  const ProcessResult run = run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy"), "--quiet", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_EQ(schema_violation("diagnose.schema.json", result), "");
  EXPECT_EQ(result["accuracy"]["records"], 64);  // all of the data, though fewer are diagnosed
  EXPECT_EQ(result["accuracy"]["quantized"]["top1"], 1.0);
  EXPECT_TRUE(result["remarks"].empty());
  const ProcessResult text =
      run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy"), "--label-offset", "1", "--quiet"});
  EXPECT_NE(text.out.find("accuracy: float model 0.0 %, quantized model 0.0 %"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("labels count from 1 (--label-offset 0)"), std::string::npos) << text.out;
}

TEST(DiagnoseCommand, TakesTheNumberOfAProgram) {
  const ProcessResult run = run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--eval", "echo 0.75 #", "--quiet", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json result = Json::parse(run.out);
  EXPECT_EQ(schema_violation("diagnose.schema.json", result), "");
  EXPECT_EQ(result["accuracy"]["program"], "echo 0.75 #");
  EXPECT_EQ(result["accuracy"]["reference"], 0.75);
}

TEST(DiagnoseCommand, SameBytesWithAnyNumberOfThreads) {
  const auto json = [](const std::string& threads) {
    return run_tool({"diagnose", kFp32, kInt8, "-d", kData, "--threads", threads, "--quiet", "--json", "-"}).out;
  };
  const std::string one = json("1");
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, json("3"));
}

TEST(DiagnoseCommand, SaysHowManyRecordsItTook) {
  const ProcessResult run = run_tool({"diagnose", kFp32, kInt8, "-d", kData});
  EXPECT_NE(run.err.find("of 64 records are used"), std::string::npos) << run.err;
  EXPECT_EQ(run.exit_code, 0);
}

TEST(DiagnoseCommand, RefusesBadOptions) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--thresholds", "psnr=3"},
                                                  {"--thresholds", "mse"},
                                                  {"--fail-on", "hint"},
                                                  {"--outlier-z", "0"},
                                                  {"--concat-ratio", "x"}}) {
    std::vector<std::string> arguments{"diagnose", kFp32, kInt8, "-d", kData};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult run = run_tool(arguments);
    EXPECT_EQ(run.exit_code, 2) << options[0] << " " << options[1];
    EXPECT_NE(run.err.find(options[0]), std::string::npos) << run.err;
  }
  EXPECT_EQ(run_tool({"diagnose", kFp32}).exit_code, 2);
  EXPECT_EQ(run_tool({"diagnose", kFp32, kInt8, "-d", "/nowhere.h5"}).exit_code, 3);
}

/// The example's model with the steps of one map ten times too small, so that nearly all of its values are cut off.
std::string damaged_model(const TemporaryFolder& folder) {
  const Model model = load_model(kInt8).value();
  const int map = model.main().operators[3].outputs[0];
  ModelEdit edit;
  edit[map].quantization = model.main().tensors[static_cast<std::size_t>(map)].quantization;
  edit[map].quantization->scale[0] /= 10;
  std::ofstream(folder / "damaged.tflite", std::ios::binary) << write_edited(model, edit).value();
  return folder / "damaged.tflite";
}

TEST(DiagnoseCommand, FailsOnRequest) {
  const TemporaryFolder folder;
  const auto code = [](const std::string& quantized, const std::string& severity) {
    return run_tool({"diagnose", kFp32, quantized, "-d", kData, "--quiet", "--fail-on", severity}).exit_code;
  };
  const std::string damaged = damaged_model(folder);
  EXPECT_EQ(code(damaged, "warning"), 1);
  EXPECT_EQ(code(damaged, "error"), 1);
  EXPECT_EQ(code(kInt8, "warning"), 0) << "where there is no damage, there is no alarm";
}

}  // namespace
}  // namespace visq::testing
