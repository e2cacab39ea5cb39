// Every planted fault of ../shared/faults: the first finding names the right tensor and cause; clean pairs have no error.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> cases() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(VISQ_SHARED_DIR "/faults", error)) {
    if (fs::exists(entry.path() / "truth.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.emplace_back("absent");
  return names;
}

class SharedFault : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedFault, IsFoundFirst) {
  if (GetParam() == "absent") GTEST_SKIP() << "no planted faults beside the project";
  const fs::path folder = fs::path(VISQ_SHARED_DIR) / "faults" / GetParam();
  const Json truth = Json::parse(std::ifstream(folder / "truth.json"));
  const auto reference = std::make_shared<const Model>(load_model(folder / "fp32.tflite").value());
  const auto quantized = std::make_shared<const Model>(load_model(folder / "quant.tflite").value());
  auto data = open_data(folder / "data.h5", *reference).value();
  DiagnoseOptions options;
  options.threads = 1;
  options.records = {0, std::min<std::int64_t>(16, data->count())};
  const auto result = diagnose(reference, quantized, *data, options).value();
  if (truth["cause"] == "CLEAN") {
    for (const Finding& finding : result.findings) EXPECT_NE(finding.severity, Severity::kError) << finding.cause << " " << finding.name;
    return;
  }
  ASSERT_FALSE(result.findings.empty());
  const Finding& first = result.findings.front();
  std::vector<std::string> right{truth["tensor"]};
  for (const Json& name : truth["also_ok"]) right.push_back(name);
  EXPECT_NE(std::find(right.begin(), right.end(), first.name), right.end()) << first.cause << " " << first.name;
  EXPECT_EQ(first.cause, truth["cause"]);
}

INSTANTIATE_TEST_SUITE_P(All, SharedFault, ::testing::ValuesIn(cases()), [](const auto& each) {
  std::string name = each.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

TEST(Manual, HasASectionForEveryCause) {
  std::ifstream file(VISQ_SOURCE_DIR "/docs/causes.md");
  const std::string manual((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const std::string_view cause : all_causes()) EXPECT_NE(manual.find("\n## " + std::string(cause) + "\n"), std::string::npos) << cause;
  EXPECT_GE(all_causes().size(), 15U);
}

}  // namespace
}  // namespace visq
