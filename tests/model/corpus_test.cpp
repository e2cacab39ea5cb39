// The files that others made: every sound one loads, every broken one is told what is wrong, and both formats hold the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/models/circle_rewrite.h"
#include "support/models/model_builder.h"
#include "support/runs/corpus.h"

namespace visq {
namespace {

namespace fs = std::filesystem;

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

TEST(Corpus, EverySoundModelLoads) {
  const auto files = testing::models_below({"models", "opcases", "faults"});
  if (files.empty()) GTEST_SKIP() << "no shared models beside the project";
  for (const fs::path& file : files) {
    const auto model = load_model(file.string());
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
  }
}

TEST(Corpus, EveryBrokenModelIsToldWhy) {
  const fs::path root = fs::path(VISQ_SHARED_DIR) / "models/bad";
  if (!fs::exists(root)) GTEST_SKIP() << "no shared models beside the project";
  const std::map<std::string, std::string> expected{
      {"empty_model.tflite", "its main subgraph has no operators and no outputs"},
      {"html_page.tflite", "is no circle, ONNX or TFLite model (identifier '\\x0a<!D', expected 'CIR0' or 'TFL3')"},
      {"invalid_model.tflite", "is no circle, ONNX or TFLite model (identifier ' is ', expected 'CIR0' or 'TFL3')"},
      {"no_subgraphs.tflite", "has no subgraphs"},
      {"test_model_broken.tflite", "is no circle, ONNX or TFLite model (identifier '\\x00\\x00\\x0e\\x00', expected 'CIR0' or 'TFL3')"},
      {"two_subgraphs.tflite", "its main subgraph has no operators and no outputs"},
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string path = entry.path().string();
    const auto model = load_model(path);
    ASSERT_FALSE(model.ok()) << path;
    EXPECT_EQ(model.error().reason, Reason::kBadInput);
    const auto message = expected.find(entry.path().filename().string());
    ASSERT_NE(message, expected.end()) << path;
    EXPECT_EQ(model.error().message, path + ": " + message->second);
  }
}

/// Circle's FullyConnectedOptions have no quant_spec, which no converter fills.
void forget_what_circle_lacks(Model& model) {
  for (Subgraph& graph : model.subgraphs) {
    for (Operator& op : graph.operators) {
      Attributes kept;
      for (const auto& [name, value] : op.attributes.all()) {
        if (name != "quant_spec") kept.set(name, value);
      }
      op.attributes = kept;
    }
  }
}

TEST(Corpus, RewrittenAsCircleTheyHoldTheSame) {
  const auto files = testing::models_below({"models", "opcases"});
  if (files.empty()) GTEST_SKIP() << "no shared models beside the project";
  int compared = 0;
  for (const fs::path& file : files) {
    auto tflite = load_model(file.string());
    ASSERT_TRUE(tflite.ok());
    if (tflite->format != "tflite") continue;
    forget_what_circle_lacks(*tflite);
    const auto bytes = testing::circle_from_tflite(read_bytes(file));
    if (!bytes.ok()) {
      EXPECT_EQ(bytes.error().reason, Reason::kUnsupported);
      continue;
    }
    const auto circle = testing::load_bytes(*bytes);
    ASSERT_TRUE(circle.ok()) << file << ": " << circle.error().message;
    EXPECT_EQ(circle->format, "circle");
    EXPECT_EQ(testing::first_difference(*tflite, *circle), "") << file;
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(Corpus, ConstantsOfARealCircleFile) {
  const fs::path file = fs::path(VISQ_SHARED_DIR) / "models/circle/while_000.circle";
  if (!fs::exists(file)) GTEST_SKIP() << "no shared models beside the project";
  const auto model = load_model(file.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->format, "circle");
  ASSERT_EQ(model->subgraphs.size(), 3U);
  const auto& operators = model->main().operators;
  const auto loop = std::find_if(operators.begin(), operators.end(), [](const Operator& op) { return op.type == "WHILE"; });
  ASSERT_NE(loop, operators.end());
  EXPECT_EQ(loop->attributes.integer("cond_subgraph_index"), 1);
  EXPECT_EQ(loop->attributes.integer("body_subgraph_index"), 2);
}

}  // namespace
}  // namespace visq
