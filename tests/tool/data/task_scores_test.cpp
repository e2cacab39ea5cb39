// Boxes and masks as labels, and what a verdict rests on, through the program: on networks whose scores can be counted by hand.
#include <flatbuffers/flexbuffers.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/joined.h"
#include "support/models/model_builder.h"
#include "support/results/json_schema.h"
#include "support/runs/data_files.h"
#include "support/runs/png_files.h"
#include "support/runs/zip_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::vector<int> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = reinterpret_cast<const std::uint8_t*>(values.data())[i];
  return "[" + joined(bytes, ", ") + "]";
}

/// A detector with one anchor over the picture, of this height in parts of it.
std::string detector(float height) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const char* whole : {"max_detections", "max_classes_per_detection", "num_classes"}) builder.Int(whole, 1);
    builder.Float("nms_score_threshold", 0.1F);
    builder.Float("nms_iou_threshold", 0.5F);
    for (const char* scale : {"y_scale", "x_scale", "h_scale", "w_scale"}) builder.Float(scale, 1);
  });
  builder.Finish();
  return build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: "CUSTOM", custom_code: "TFLite_Detection_PostProcess"}],
    subgraphs: [{tensors: [{name: "enc", shape: [1, 1, 4]}, {name: "sure", shape: [1, 1, 2]}, {name: "anchors", shape: [1, 4], buffer: 1},
      {name: "boxes", shape: [1, 1, 4]}, {name: "classes", shape: [1, 1]}, {name: "scores", shape: [1, 1]}, {name: "count", shape: [1]}],
      inputs: [0, 1], outputs: [6, 3, 4, 5],
      operators: [{opcode_index: 0, inputs: [0, 1, 2], outputs: [3, 4, 5, 6], custom_options: )" +
                                   bytes_of(builder.GetBuffer()) +
                                   "}]}], buffers: [{}, {data: " + bytes_of(std::vector<float>{height / 2, 0.5F, height, 1}) + "}]}");
}

/// Gives what it is fed with, the boxes moved down; under other names.
std::string named_outputs(float down, const std::string& ending) {
  std::string text = R"({version: 3, operator_codes: [{builtin_code: "ADD"}, {builtin_code: "RELU"}],
    subgraphs: [{tensors: [{name: "b", shape: [1, 2, 4]}, {name: "c", shape: [1, 2]}, {name: "s", shape: [1, 2]},
      {name: "down", shape: [4], buffer: 1}, {name: "boxes@", shape: [1, 2, 4]}, {name: "classes@", shape: [1, 2]},
      {name: "scores@", shape: [1, 2]}], inputs: [0, 1, 2], outputs: [4, 5, 6],
      operators: [{opcode_index: 0, inputs: [0, 3], outputs: [4]}, {opcode_index: 1, inputs: [1], outputs: [5]},
                  {opcode_index: 1, inputs: [2], outputs: [6]}]}], buffers: [{}, {data: )" +
                     bytes_of(std::vector<float>{down, 0, down, 0}) + "}]}";
  for (auto at = text.find('@'); at != std::string::npos; at = text.find('@')) text.replace(at, 1, ending);
  return build_model("tflite", text);
}

/// y = x * (1, -1): the first class where x is positive. The quantized one takes what is below 1/32 for 0.
std::string segmentation(bool quantized) {
  const std::string type = quantized ? R"(, type: INT8, quantization: {scale: [0.0625], zero_point: [0]})" : "";
  const std::string weights = quantized ? R"(, type: INT8, quantization: {scale: [0.015625], zero_point: [0]})" : "";
  const std::string values = quantized ? bytes_of(std::vector<std::int8_t>{64, -64}) : bytes_of(std::vector<float>{1, -1});
  const std::string inner =
      quantized ? R"({name: "xq", shape: [1, 4, 4, 1])" + type + R"(}, {name: "yq", shape: [1, 4, 4, 2])" + type + "}" : "";
  const std::string steps = quantized ? R"({opcode_index: 1, inputs: [0], outputs: [3]}, {opcode_index: 0, inputs: [3, 1], outputs: [4]},
                                           {opcode_index: 2, inputs: [4], outputs: [2]})"
                                      : R"({opcode_index: 0, inputs: [0, 1], outputs: [2]})";
  return build_model("tflite",
                     R"({version: 3, operator_codes: [{builtin_code: "MUL"}, {builtin_code: "QUANTIZE"}, {builtin_code: "DEQUANTIZE"}],
    subgraphs: [{tensors: [{name: "x", shape: [1, 4, 4, 1]}, {name: "w", shape: [2], buffer: 1)" +
                         weights + R"(}, {name: "y", shape: [1, 4, 4, 2]}, )" + inner + R"(], inputs: [0], outputs: [2],
      operators: [)" + steps +
                         R"(]}], buffers: [{}, {data: )" + values + "}]}");
}

class TaskScores : public ::testing::Test {
 protected:
  void SetUp() override {
    write_bytes(folder_ / "wide.tflite", detector(1));
    write_bytes(folder_ / "narrow.tflite", detector(0.62F));  // thresholds of 0.5, 0.55 and 0.6
    write_bytes(folder_ / "boxes.npz", zip({{"enc.npy", npy("<f4", floats({2, 1, 1, 4}, std::vector<float>(8)))},
                                            {"sure.npy", npy("<f4", floats({2, 1, 1, 2}, {0, 0.9F, 0, 0.8F}))}},
                                           false));
    write_text(folder_ / "truth.json", R"({"images": [{"id": 4, "width": 100, "height": 50}, {"id": 2, "width": 10, "height": 10}],
      "annotations": [{"image_id": 4, "category_id": 9, "bbox": [0, 0, 100, 50]}, {"image_id": 2, "category_id": 9, "bbox": [0, 0, 10, 10]}],
      "categories": [{"id": 9}]})");
    write_bytes(folder_ / "plain.tflite", segmentation(false));
    write_bytes(folder_ / "int8.tflite", segmentation(true));
    std::vector<float> pixels;
    std::vector<std::uint8_t> classes;
    for (int i = 0; i < kRecords * 16; ++i) {  // of 16 pixels 8 are 1, 4 are -1, and 4 are so small that int8 loses their sign
      const int kind = (i + i / 16) % 16;      // elsewhere in every record
      pixels.push_back(kind < 8 ? 1.0F : kind < 12 ? -1.0F : -0.01F);
      classes.push_back(kind < 8 ? 0 : 1);
    }
    write_bytes(folder_ / "x.npy", npy("<f4", floats({kRecords, 1, 4, 4, 1}, pixels)));
    write_bytes(folder_ / "masks.npy", npy("|u1", array_of(DType::kUInt8, {kRecords, 4, 4}, classes)));
  }

  ProcessResult run(std::vector<std::string> words) const {
    for (std::string& word : words) {
      if (word.starts_with("@")) word = folder_ / word.substr(1);
    }
    return run_tool(words);
  }
  Json json(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "-", "--quiet"});
    const ProcessResult ended = run(words);
    EXPECT_EQ(ended.err, "");
    return Json::parse(ended.out, nullptr, false);
  }

  static constexpr int kRecords = 8;
  /// Of the quantized network: the first class has 8 right of 12, the second 4 of 8.
  static constexpr double kMiou = (8.0 / 12 + 4.0 / 8) / 2;
  TemporaryFolder folder_;
};

TEST_F(TaskScores, BoxesOfADetector) {
  const std::vector<std::string> words{"compare", "@wide.tflite", "@narrow.tflite", "-d", "@boxes.npz", "--labels", "@truth.json"};
  const Json result = json(words);
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  const Json& accuracy = result["accuracy"];
  EXPECT_EQ(accuracy["score"], "map");
  EXPECT_EQ(accuracy["output"], "boxes");
  EXPECT_EQ(accuracy["records"], 2);
  EXPECT_EQ(accuracy["classes"], 1);
  EXPECT_NEAR(accuracy["reference"]["map"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(accuracy["quantized"]["map"].get<double>(), 0.3, 1e-12);
  EXPECT_NEAR(accuracy["quantized"]["map50"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(accuracy["drop"].get<double>(), 70, 1e-9);
  const std::string text = run(words).out;
  EXPECT_THAT(text, HasSubstr("Verdict: broken. Its mAP loses 70 points (2 records)."));
  EXPECT_THAT(text, HasSubstr("mAP at 0.5"));
  EXPECT_THAT(text, HasSubstr("drop of mAP: 70.00 percentage points"));
  EXPECT_THAT(text, HasSubstr(" --labels " + (folder_ / "truth.json"))) << "the next command";
}

TEST_F(TaskScores, OutputsWithBoxesMayBeNamed) {
  write_bytes(folder_ / "a.tflite", named_outputs(0, ""));
  write_bytes(folder_ / "b.tflite", named_outputs(0.38F, "_q"));
  // The second box is none: its score is the lower one, so it costs nothing.
  write_bytes(folder_ / "in.npz", zip({{"b.npy", npy("<f4", floats({1, 1, 2, 4}, {0, 0, 1, 1, 0, 0, 0.1F, 0.1F}))},
                                       {"c.npy", npy("<f4", floats({1, 1, 2}, {8, 8}))},
                                       {"s.npy", npy("<f4", floats({1, 1, 2}, {0.9F, 0.2F}))}},
                                      false));
  const std::vector<std::string> words{"compare", "@a.tflite", "@b.tflite", "-d", "@in.npz", "--labels", "@truth.json"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string names = "boxes,classes,scores";
  const ProcessResult unnamed = run(words);
  EXPECT_EQ(unnamed.exit_code, 3);
  EXPECT_THAT(unnamed.err,
              HasSubstr("a.tflite: its outputs ('boxes' [1, 2, 4], 'classes' [1, 2], 'scores' [1, 2]) are not the boxes, classes, "
                        "scores and count of a TFLite_Detection_PostProcess"));
  EXPECT_THAT(run(with({"--output-node", names})).err, HasSubstr("class 8 is none of the 1 categories"));
  const Json result = json(with({"--output-node", names, "--label-offset", "-1"}));
  EXPECT_NEAR(result["accuracy"]["reference"]["map"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(result["accuracy"]["quantized"]["map50"].get<double>(), 0, 1e-12) << "an overlap of 0.62 / 1.38";
  expect_error(run(with({"--output-node", "boxes,classes", "--quiet"})), 2,
               "--output-node: boxes need three or four outputs: BOXES,CLASSES,SCORES,COUNT");
  EXPECT_THAT(run(with({"--output-node", "boxes,classes,scorse"})).err, HasSubstr("has no output 'scorse' (it has 'boxes' [1, 2, 4], "));
}

TEST_F(TaskScores, MasksOfArrays) {
  const Json result = json({"compare", "@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--labels", "@masks.npy", "--score", "miou"});
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  EXPECT_EQ(result["accuracy"]["score"], "miou");
  EXPECT_NEAR(result["accuracy"]["reference"]["miou"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(result["accuracy"]["quantized"]["miou"].get<double>(), kMiou, 1e-12);
  EXPECT_NEAR(result["accuracy"]["quantized"]["pixels"].get<double>(), 0.75, 1e-12);
}

TEST_F(TaskScores, MasksOfPngFilesBelongToPicturesOfTheirNames) {
  if (VISQ_BUILT_WITH_PNG == 0) GTEST_SKIP() << "built without PNG";
  std::filesystem::create_directories(folder_ / "photos");
  std::filesystem::create_directories(folder_ / "masks");
  // Two pictures of one value each; as numbers 9 comes before 10, and the masks of others stand between.
  const auto picture = [](int value) {
    std::string rows;
    for (int y = 0; y < 4; ++y) rows += std::string(1, '\0') + std::string(4, static_cast<char>(value));
    return png_file(4, 4, 8, 0, rows);
  };
  write_bytes(folder_ / "photos/9.png", picture(200));
  write_bytes(folder_ / "photos/10.png", picture(10));
  for (const auto& [name, label] : {std::pair("9", 0), {"10", 1}, {"1", 0}, {"95", 0}}) {
    write_bytes(folder_ / ("masks/" + std::string(name) + ".png"), picture(label));
  }
  const std::vector<std::string> words{"compare", "@plain.tflite", "@int8.tflite", "-d", "@photos", "--mean", "100", "--labels", "@masks"};
  EXPECT_EQ(json(words)["accuracy"]["reference"]["miou"], 1);
  std::filesystem::remove(folder_ / "masks/10.png");
  const ProcessResult without = run(words);
  EXPECT_EQ(without.exit_code, 3);
  EXPECT_THAT(without.err, HasSubstr("masks: holds nothing for record 1 '" + (folder_ / "photos/10.png") + "'"));
  std::vector<std::string> middle = words;
  middle.insert(middle.end(), {"--resize", "8"});
  expect_error(run(middle), 2,
               "--labels: boxes and masks are those of whole pictures, of which this takes the middle; --resize input stretches them");
}

TEST_F(TaskScores, EveryCommandThatTakesLabelsTakesThem) {
  const std::vector<std::string> pair{"@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--labels", "@masks.npy", "--score", "miou"};
  const auto of = [&](const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words{command};
    words.insert(words.end(), pair.begin(), pair.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Json diagnosis = json(of("diagnose", {}));
  EXPECT_EQ(schema_violation("diagnose.schema.json", diagnosis), "");
  EXPECT_NEAR(diagnosis["accuracy"]["quantized"]["miou"].get<double>(), kMiou, 1e-12);
  const std::string told = run(of("diagnose", {})).out;
  EXPECT_THAT(told, HasSubstr("mean IoU: float model 100.0 %, quantized model 58.3 %, costs 41.7 points (8"));
  EXPECT_EQ(told.find("NO_DAMAGE"), std::string::npos) << "the outputs' 45 dB do not tell";
  const Json advice = json(of("recommend", {}));
  EXPECT_EQ(schema_violation("recommend.schema.json", advice), "");
  EXPECT_NEAR(advice["front"][0]["accuracy_drop"].get<double>(), 100 * (1 - kMiou), 1e-9);
  EXPECT_THAT(advice["choice"].get<std::string>(), HasSubstr("that loses at most 1 points of accuracy"));
  EXPECT_THAT(run(of("recommend", {})).out, HasSubstr(" --score miou"));
  const ProcessResult page = run(of("report", {"-o", folder_ / "page", "--quick"}));
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(read_text(folder_ / "page/report.html"), HasSubstr("mean IoU"));
}

TEST_F(TaskScores, DiagnoseTriesTheUsualErrorsInDataWithMasksToo) {
  // 0 to 1 where the network takes -1 to 1: all is of the first class, until that is undone. Not from the first record on.
  const ProcessResult told = run({"diagnose", "@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--scale", "0.5", "--mean", "-0.5",
                                  "--records", "2:7", "--labels", "@masks.npy", "--score", "miou", "--json", "-", "--quiet"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const Json diagnosis = Json::parse(told.out, nullptr, false);
  EXPECT_NEAR(diagnosis["accuracy"]["reference"]["miou"].get<double>(), 0.25, 1e-12);
  ASSERT_FALSE(diagnosis["remarks"].empty());
  EXPECT_EQ(diagnosis["remarks"][0]["kind"], "wrong data");
  EXPECT_THAT(diagnosis["remarks"][0]["text"].get<std::string>(), HasSubstr("the float model has 100.0 % instead of 25.0 %"));
}

TEST_F(TaskScores, TheVerdictRestsOnWhatIsAskedFor) {
  const std::vector<std::string> words{"compare", "@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--labels", "@masks.npy"};
  const auto verdict = [&](const std::string& score, const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    if (score != "miou") all.resize(5);
    all.insert(all.end(), {"--score", score});
    all.insert(all.end(), more.begin(), more.end());
    return json(all)["verdict"];
  };
  EXPECT_EQ(verdict("miou", {})["basis"], "accuracy_drop");
  EXPECT_EQ(verdict("miou", {})["health"], "broken");
  // 12 of 16 pixels are exact, the others are off by 0.01: noise of 0.0001 * 4 / (12 + 0.0004), 44.8 dB; a range of 2, 52 dB.
  EXPECT_EQ(verdict("sqnr", {})["basis"], "sqnr");
  EXPECT_NEAR(verdict("sqnr", {})["value"].get<double>(), 10 * std::log10((12 + 4e-4) / 4e-4), 1e-3);
  EXPECT_EQ(verdict("psnr", {})["basis"], "psnr");
  EXPECT_NEAR(verdict("psnr", {})["value"].get<double>(), 10 * std::log10(4 / (4e-4 / 16)), 1e-3);
  EXPECT_EQ(verdict("cosine", {})["basis"], "cosine");
  EXPECT_EQ(verdict("cosine", {})["health"], "fine");
  const Json both = json({"compare", "@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--eval", "echo 1 #", "--score", "cosine"});
  EXPECT_EQ(both["verdict"]["basis"], "cosine");
  EXPECT_EQ(both["accuracy"]["drop"], 0);
}

TEST_F(TaskScores, WhatMakesNoSenseIsRefused) {
  const std::vector<std::string> pair{"compare", "@plain.tflite", "@int8.tflite", "-d", "@x.npy"};
  const auto error = [&](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> words = pair;
    words.insert(words.end(), more.begin(), more.end());
    expect_error(run(words), 2, message);
  };
  error({"--score", "map"}, "--score map: needs --labels");
  error({"--score", "best"}, "--score: 'best' is not one of sqnr, cosine, psnr, top1, map, miou");
  error({"--score", "cosine", "--metrics", "mse"}, "--score cosine: is not among --metrics");
  expect_error(run({"diagnose", "@plain.tflite", "@int8.tflite", "-d", "@x.npy", "--score", "psnr"}), 2,
               "--score: 'psnr' is not one of top1, map, miou");
}

}  // namespace
}  // namespace visq::testing
