// `visqerror extract`: what it writes is what the whole models hold and compute, and runs by itself.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/models/circle_rewrite.h"
#include "support/results/json_schema.h"
#include "tool/tool_support.h"
#include "visq/model.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void run_maps(const std::string& model, const std::string& data, const std::string& mode, const std::string& out,
              const std::string& records = "0:3") {
  const ProcessResult run = run_tool({"run", model, "-d", data, "--mode", mode, "--records", records, "-o", out, "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

/// Extracts a node of three records, and checks every output against runs of the parts and of the whole models.
void expect_reproduced(const std::string& reference, const std::string& quantized, const std::string& node, const std::string& mode) {
  SCOPED_TRACE(node + " " + mode);
  const TemporaryFolder folder;
  const std::string out = folder / "out/";
  const ProcessResult run =
      run_tool({"extract", reference, quantized, "-d", kData, "--records", "3", "--nodes", node, "--mode", mode, "-o", folder / "out"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const Json json = Json::parse(read_text(out + "extract.json"));
  EXPECT_EQ(schema_violation("extract.schema.json", json), "");
  const std::string own = json["quantized"]["files"].value("own_inputs", "data.h5");
  const std::string own_outputs = json["quantized"]["files"].value("own_outputs", "quantized.h5");
  const std::string r_part = out + json["reference"]["files"]["model"].get<std::string>();
  const std::string q_part = out + json["quantized"]["files"]["model"].get<std::string>();
  run_maps(reference, kData, "fp32", folder / "whole_r.h5");
  run_maps(quantized, kData, mode, folder / "whole_q.h5");
  run_maps(r_part, out + "data.h5", "fp32", folder / "part_r.h5");
  run_maps(q_part, out + "data.h5", mode, folder / "part_q.h5");
  run_maps(q_part, out + own, mode, folder / "part_own.h5");
  for (const Json& output : json["reference"]["outputs"]) {
    const auto stored = values_of(out + "reference.h5", output["name"]);
    EXPECT_EQ(stored.size(), 3U);
    EXPECT_EQ(stored, values_of(folder / "whole_r.h5", output["name"]));
    EXPECT_EQ(stored, values_of(folder / "part_r.h5", output["name"]));
  }
  for (const Json& output : json["quantized"]["outputs"]) {
    EXPECT_EQ(values_of(out + "quantized.h5", output["name"]), values_of(folder / "part_q.h5", output["name"]));
    EXPECT_EQ(values_of(out + own_outputs, output["name"]), values_of(folder / "part_own.h5", output["name"]));
    EXPECT_EQ(values_of(out + own_outputs, output["name"]), values_of(folder / "whole_q.h5", output["name"]));
  }
}

TEST(ExtractCommand, PartsGiveWhatTheWholeModelsGive) {
  for (const char* node : {"stem/Relu", "residual_relu/Relu", "pool/MaxPool2d", "logits/MatMul", "Identity"}) {
    expect_reproduced(kFp32, kInt8, node, "integer");
  }
  expect_reproduced(kFp32, kInt8, "features/Relu", "fake-quant");
}

TEST(ExtractCommand, OfCircleFilesMakesCircleFiles) {
  const TemporaryFolder folder;
  write_text(folder / "r.circle", *circle_from_tflite(read_text(kFp32)));
  write_text(folder / "q.circle", *circle_from_tflite(read_text(kInt8)));
  expect_reproduced(folder / "r.circle", folder / "q.circle", "features/Relu", "integer");
  const ProcessResult run =
      run_tool({"extract", folder / "r.circle", folder / "q.circle", "-d", kData, "--nodes", "Identity", "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(load_model(folder / "out/quant.circle")->format, "circle");
}

/// A loop's body: the run that is asked for, and the last by default. The loop doubles its input again and again.
TEST(ExtractCommand, TakesNodesOfALoopsBody) {
  const std::string model = std::string(VISQ_SHARED_DIR) + "/models/control_flow/multi_subgraphs_while.tflite";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no shared models beside the project";
  const TemporaryFolder folder;
  const auto extracted = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"extract", model, model, "--nodes", "while/scalar_mul", "-o", folder / name};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult run = run_tool(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("other"))) << "the part gives what the body gave";
    EXPECT_EQ(schema_violation("extract.schema.json", Json::parse(read_text(folder / (name + "/extract.json")))), "");
    const auto part = load_model(folder / (name + "/fp32.tflite"));
    EXPECT_TRUE(part.ok() && part->subgraphs.size() == 1 && part->main().operators.size() == 1);
    std::vector<float> values(1);
    std::memcpy(values.data(), values_of(folder / (name + "/reference.h5"), "while/scalar_mul").at(0).data(), sizeof(float));
    return values[0];
  };
  const float first = extracted("first", {"--run", "0"}), second = extracted("second", {"--run", "1"}), last = extracted("last", {});
  EXPECT_FLOAT_EQ(second / first, 2);
  EXPECT_GT(std::fabs(last), std::fabs(first));
  const ProcessResult run = run_tool({"extract", model, model, "--nodes", "while/scalar_mul", "--run", "1000", "-o", folder / "none"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("record 0: subgraph 2, where the node stands, is run "));
}

TEST(ExtractCommand, WritesOneRecordAndSaysWhatIsWhere) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const ProcessResult run = run_tool({"extract", kFp32, kInt8, "-d", kData, "--nodes", "features*", "-o", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.out.ends_with("Next: visqerror compare " + out + "/fp32.tflite " + out + "/quant.tflite -d " + out + "/data.h5\n"))
      << run.out;
  EXPECT_THAT(folder.content(),
              ElementsAre("out", "out/README.txt", "out/data.h5", "out/extract.json", "out/fp32.tflite", "out/quant.tflite",
                          "out/quantized.h5", "out/quantized_inputs.h5", "out/quantized_own.h5", "out/reference.h5"));
  EXPECT_THAT(read_text(out + "/README.txt"), HasSubstr("visqerror run quant.tflite -d quantized_inputs.h5 --mode fake-quant"));
  EXPECT_EQ(read_text(out + "/README.txt").find(folder.path().string()), std::string::npos) << "the folder can be moved";
  const ProcessResult compare = run_tool({"compare", out + "/fp32.tflite", out + "/quant.tflite", "-d", out + "/data.h5", "--json", "-"});
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  EXPECT_EQ(Json::parse(compare.out)["data"]["records"], Json({0, 1}));
}

TEST(ExtractCommand, OfTheFirstNodeHasNoInputsOfItsOwn) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"extract", kFp32, kFp32, "-d", kData, "--nodes", "stem/Relu", "-o", folder / "out", "--json", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_FALSE(json["quantized"]["files"].contains("own_inputs"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/quantized_inputs.h5"));
}

TEST(ExtractCommand, RefusesWhatItCannotDo) {
  const TemporaryFolder folder;
  const auto tried = [&](const std::string& node) {
    return run_tool({"extract", kFp32, kInt8, "-d", kData, "--nodes", node, "-o", folder / "out"});
  };
  expect_error(run_tool({"extract", kFp32}), 2, "extract: two models are needed; see 'visqerror extract --help'");
  expect_error(run_tool({"extract", kFp32, kInt8, "-o", folder / "out"}), 2, "extract: no node given; give --nodes NAME");
  expect_error(run_tool({"extract", kFp32, kInt8, "--nodes", "Identity"}), 2, "extract: no output; give -o DIR");
  expect_error(tried("nothing"), 2, "--nodes: no feature map of " + kFp32 + " or " + kInt8 + " is called 'nothing'");
  expect_error(tried("*/MatMul"), 2, "--nodes: '*/MatMul' fits 2 nodes, one is needed: hidden/MatMul, logits/MatMul");
  expect_error(tried("image"), 3, "'image' is a graph input: no operator makes it");
  EXPECT_THAT(folder.content(), ElementsAre()) << "all files or none";
}

/// Nodes of the shared models, as a sample of operators: loops, layers of several kinds, hybrid ones, dynamic sizes.
TEST(ExtractCommand, LiteRtLoadsAndReproducesTheParts) {
  const char* python = std::getenv("VISQ_LITERT_PYTHON");
  const std::string interpreter = python != nullptr ? python : "python3";
  if (run_process({interpreter, "-c", "import ai_edge_litert, h5py"}).exit_code != 0) {
    GTEST_SKIP() << "no Python with the packages ai-edge-litert and h5py; name one in VISQ_LITERT_PYTHON";
  }
  const TemporaryFolder folder;
  std::vector<std::string> words{interpreter, std::string(VISQ_SOURCE_DIR) + "/tests/tool/scripts/extract_litert.py"};
  const auto take = [&](const std::string& reference, const std::string& quantized, const std::string& data, const std::string& node) {
    words.push_back(folder / std::to_string(words.size()));
    const ProcessResult run = run_tool({"extract", reference, quantized, "-d", data, "--records", "2", "--nodes", node, "--mode", "integer",
                                        "-o", words.back(), "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  };
  for (const char* node : {"stem/Relu", "spatial/Relu6", "residual_relu/Relu", "pool/MaxPool2d", "average/AvgPool", "flatten/Reshape",
                           "hidden/MatMul", "Identity"}) {
    take(kFp32, kInt8, kData, node);
  }
  const std::string models = std::string(VISQ_SHARED_DIR) + "/models/";
  if (std::filesystem::exists(models)) {
    take(models + "blazeface/fp32.tflite", models + "blazeface/int8.tflite", models + "blazeface/data.h5", "conv2d");
    take(models + "mnist_lstm/fp32.tflite", models + "mnist_lstm/int8.tflite", models + "mnist_lstm/data.h5", "*lstm*");
    take(models + "dtln_1/fp32.tflite", models + "dtln_1/int16x8.tflite", models + "dtln_1/data.h5", "StatefulPartitionedCall:0");
  }
  const ProcessResult checked = run_process(words);
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(checked.out, std::to_string(words.size() - 2) + " pairs\n");
}

}  // namespace
}  // namespace visq::testing
