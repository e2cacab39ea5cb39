// Shares of the outputs' error that compare --origin shows first, against each node's own run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "visq/compare.h"
#include "visq/data.h"
#include "visq/sensitivity.h"

namespace visq {
namespace {

namespace fs = std::filesystem;

struct Pair {
  std::string name, reference, quantized, data;
};

/// The bundled example, and the real pairs beside the project.
std::vector<Pair> pairs() {
  const std::string digits = std::string(VISQ_SOURCE_DIR) + "/examples/digits/";
  std::vector<Pair> all{{"digits", digits + "fp32.tflite", digits + "int8.tflite", digits + "data.h5"}};
  const fs::path models = fs::path(VISQ_SOURCE_DIR).parent_path() / "shared" / "models";
  if (!fs::is_directory(models)) return all;
  for (const auto& folder : fs::directory_iterator(models)) {
    const fs::path fp32 = folder.path() / "fp32.tflite", data = folder.path() / "data.h5";
    if (!fs::exists(fp32) || !fs::exists(data)) continue;
    for (const char* twin : {"int8.tflite", "uint8.tflite", "int16x8.tflite"}) {
      if (fs::exists(folder.path() / twin)) {
        all.push_back({folder.path().filename().string() + "/" + twin, fp32.string(), (folder.path() / twin).string(), data.string()});
      }
    }
  }
  return all;
}

/// The squared error at the output, over that of everything, where a node's own weights and output alone are quantized.
double brute_force(const SensitivityResult& all, const std::string& name) {
  for (const Sensitivity& node : all.nodes) {
    if (node.part.reference.name == name) return node.metrics[0].value / all.all_quantized[0].value;
  }
  return -1;
}

void expect_shares(const Pair& pair, std::int64_t records) {
  SCOPED_TRACE(pair.name);
  const auto reference = std::make_shared<const Model>(load_model(pair.reference).value());
  const auto quantized = std::make_shared<const Model>(load_model(pair.quantized).value());
  if (reference->main().outputs.size() != 1 || keeps_state(*reference)) return;
  const auto data = open_data(pair.data, *reference).value();
  CompareOptions options;
  options.records = {0, std::min(records, data->count())};
  options.origin = true;
  CompareResult result = compare(reference, quantized, *data, options).value();
  ShareRequest request;
  request.records = options.records;
  ASSERT_TRUE(measure_shares(reference, quantized, *data, request, result).ok());
  SensitivityOptions trials;
  trials.records = options.records;
  const SensitivityResult all = sensitivity(reference, quantized, *data, trials).value();
  std::vector<const MapComparison*> shown;
  for (const MapComparison& map : result.maps) {
    if (map.origin && map.origin->measured_share) shown.push_back(&map);
  }
  ASSERT_GE(shown.size(), 2U);
  std::sort(shown.begin(), shown.end(), [](auto* a, auto* b) { return *a->origin->measured_share > *b->origin->measured_share; });
  for (std::size_t i = 0; i < std::min<std::size_t>(5, shown.size()); ++i) {
    const double share = *shown[i]->origin->measured_share, truth = brute_force(all, shown[i]->reference.name);
    EXPECT_LE(share, 1.5 * truth) << shown[i]->reference.name;
    EXPECT_GE(share, truth / 1.5) << shown[i]->reference.name;
  }
  const double first = brute_force(all, all.nodes[0].part.reference.name);
  EXPECT_GE(*shown[0]->origin->measured_share, first / 1.5) << "the node that really makes most, " << all.nodes[0].part.reference.name;
}

TEST(MeasuredShares, TheFirstFiveAreWhatANodesOwnRunMakes) {
  for (const Pair& pair : pairs()) expect_shares(pair, 6);
}

TEST(MeasuredShares, NothingIsMeasuredWithoutAnEstimate) {
  const Pair pair = pairs()[0];
  const auto reference = std::make_shared<const Model>(load_model(pair.reference).value());
  const auto quantized = std::make_shared<const Model>(load_model(pair.quantized).value());
  const auto data = open_data(pair.data, *reference).value();
  CompareOptions options;
  options.records = {0, 1};
  CompareResult result = compare(reference, quantized, *data, options).value();
  ShareRequest request;
  request.records = options.records;
  ASSERT_TRUE(measure_shares(reference, quantized, *data, request, result).ok());
  EXPECT_EQ(result.share_records, 0);
}

}  // namespace
}  // namespace visq
