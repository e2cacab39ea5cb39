// A model gives the same bits whether it is stored as TFLite or as circle.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/models/circle_rewrite.h"
#include "visq/run.h"

namespace visq {
namespace {

/// Keeps every feature map of a run.
class KeepAll : public MapSink {
 public:
  Status begin_record(std::int64_t) override { return {}; }
  Status add(const FeatureMap& map) override {
    const auto bytes = static_cast<std::size_t>(map.shape.elements()) * size_of(map.dtype);
    maps.emplace_back(reinterpret_cast<const char*>(map.data), bytes);
    return {};
  }
  std::vector<std::string> maps;
};

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> all_maps(const std::shared_ptr<const Model>& model) {
  KeepAll sink;
  const auto source = random_data(*model, nullptr, 1, false);
  RunOptions options;
  options.mode = default_mode(*model);
  options.records = {0, 1};
  const auto status = run(model, *source, options, sink);
  // Random values may be out of an operator's bounds (the begin of a SLICE); then both forms must say the same.
  if (!status.ok()) sink.maps.push_back(status.error().message.substr(status.error().message.find(": ")));
  return sink.maps;
}

std::vector<std::string> model_files() {
  std::vector<std::string> files;
  const std::filesystem::path models = std::string(VISQ_SHARED_DIR) + "/models";
  if (!std::filesystem::exists(models)) return {"absent"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models)) {
    const std::string folder = entry.path().parent_path().filename();
    if (entry.path().extension() == ".tflite" && folder != "bad") files.push_back(folder + "/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CircleTwins : public ::testing::TestWithParam<std::string> {};

TEST_P(CircleTwins, GiveTheSameBits) {
  if (GetParam() == "absent") GTEST_SKIP() << "the shared models are not here";
  const std::string path = std::string(VISQ_SHARED_DIR) + "/models/" + GetParam();
  const auto rewritten = testing::circle_from_tflite(read_bytes(path));
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  const auto circle_path = std::filesystem::temp_directory_path() / ("visq_twin_" + std::to_string(::getpid()) + ".circle");
  std::ofstream(circle_path, std::ios::binary) << *rewritten;
  auto tflite = load_model(path);
  auto circle = load_model(circle_path);
  std::filesystem::remove(circle_path);
  ASSERT_TRUE(tflite.ok() && circle.ok());
  EXPECT_EQ(circle->format, "circle");
  const auto expected = all_maps(std::make_shared<const Model>(std::move(*tflite)));
  const auto actual = all_maps(std::make_shared<const Model>(std::move(*circle)));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(Shared, CircleTwins, ::testing::ValuesIn(model_files()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace visq
