// Numbers at the edge through every analysis: each ends with a documented exit code, whole files, and JSON that holds numbers only.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/models/model_builder.h"
#include "support/runs/data_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

const std::vector<std::string>& analyses() {
  static const std::vector<std::string> list{"compare", "sensitivity",  "accumulate", "partial",   "badcase",
                                             "profile", "distribution", "diagnose",   "recommend", "report"};
  return list;
}

/// Runs an analysis for its JSON.
void expect_result(const std::string& command, const std::string& reference, const std::string& quantized, const std::string& data,
                   int exit_code) {
  SCOPED_TRACE(command);
  std::vector<std::string> words{command, reference, quantized, "-d", data, "--quiet", "--json", "-"};
  if (command == "report") words = {command, reference, quantized, "-d", data, "--quiet", "-o", "out", "--quick"};
  const TemporaryFolder folder;
  const ProcessResult run = run_tool(words, {.folder = folder.path().string()});
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  if (run.exit_code == 0 && command != "report") {
    EXPECT_TRUE(nlohmann::json::accept(run.out)) << run.out.substr(0, 200);
  }
}

TEST(EdgeNumbers, InTheDataOfEveryAnalysis) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const TemporaryFolder folder;
  for (const float edge : {kNan, kInf, -kInf, -0.0F, 1e-40F, 3e38F, 0.25F}) {
    for (const bool everywhere : {false, true}) {
      SCOPED_TRACE(std::to_string(edge) + (everywhere ? " everywhere" : " once"));
      Array images = make_array(DType::kFloat32, {2, 1, 8, 8, 1});
      for (float& pixel : images.values<float>()) pixel = everywhere ? edge : 0.5F;
      images.values<float>()[70] = edge;
      write_text(folder / "images.npy", npy("<f4", images));
      for (const std::string& command : analyses()) expect_result(command, kFp32, kInt8, folder / "images.npy", 0);
    }
  }
}

/// A pair of one operator, x -> y, whose maps have `shape`; the twin's are int8.
void write_pair(const TemporaryFolder& folder, const std::string& shape) {
  const auto model = [&](const std::string& type) {
    return build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: RELU, deprecated_builtin_code: 19}], buffers: [{}],
      subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "x", shape: )" +
                                     shape + type + R"(}, {name: "y", shape: )" + shape + type +
                                     R"(}], operators: [{inputs: [0], outputs: [1]}]}]})");
  };
  write_text(folder / "fp32.tflite", model(""));
  write_text(folder / "int8.tflite", model(", type: INT8, quantization: {scale: [0.1], zero_point: [0]}"));
}

TEST(EdgeNumbers, MapsOfOneElement) {
  const TemporaryFolder folder;
  write_pair(folder, "[1, 1]");
  write_text(folder / "x.npy", npy("<f4", floats({2, 1, 1}, {0.33F, 5})));
  for (const std::string& command : analyses()) {
    expect_result(command, folder / "fp32.tflite", folder / "int8.tflite", folder / "x.npy", 0);
  }
}

TEST(EdgeNumbers, MapsOfNoElements) {
  const TemporaryFolder folder;
  write_pair(folder, "[1, 0]");
  Hdf5File(folder / "x.h5").dataset("value/0/0", make_array(DType::kFloat32, {1, 0}));
  for (const std::string& command : analyses()) {
    expect_result(command, folder / "fp32.tflite", folder / "int8.tflite", folder / "x.h5", 0);
  }
}

}  // namespace
}  // namespace visq::testing
