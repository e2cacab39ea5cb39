// Real data against real models: every data file of the shared folder feeds the models beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "visq/data.h"

namespace visq {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> files_of(const fs::path& folder, const std::string& start, const std::string& ending) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(start) && name.ends_with(ending)) files.insert(entry.path());
  }
  return files;
}

/// Feeds all records to both models; the shapes must be the models'.
void feed_pair(const fs::path& data, const Model& model, const Model& twin) {
  SCOPED_TRACE(data.string() + " " + twin.path);
  auto source = open_data(data.string(), model);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto feed = InputFeed::create(model, &twin);
  ASSERT_TRUE(feed.ok()) << feed.error().message;
  const std::int64_t count = (*source)->count();
  const auto ahead = read_ahead(std::move(source).value(), {0, count}, {.records = 2});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto record = ahead->read(i);
    ASSERT_TRUE(record.ok()) << record.error().message;
    EXPECT_TRUE(record->remarks.empty());
    const auto inputs = feed->for_model(*record);
    const auto twins = feed->for_twin(*record);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    ASSERT_TRUE(twins.ok()) << twins.error().message;
    EXPECT_EQ(inputs->size(), model.main().inputs.size());
    EXPECT_EQ(twins->size(), twin.main().inputs.size());
  }
}

TEST(SharedData, FeedsTheModelsBesideIt) {
  const fs::path root = fs::path(VISQ_SHARED_DIR) / "models";
  if (!fs::exists(root)) GTEST_SKIP() << root << " is absent";
  int pairs = 0;
  for (const auto& folder : fs::directory_iterator(root)) {
    const auto models = folder.is_directory() ? files_of(folder, "", ".tflite") : std::set<fs::path>();
    const auto data = folder.is_directory() ? files_of(folder, "data", ".h5") : std::set<fs::path>();
    if (data.empty()) continue;
    for (const char* reference : {"fp32.tflite", "float16.tflite", "dynamic_range.tflite"}) {
      if (!models.contains(folder.path() / reference)) continue;
      const auto model = load_model(folder.path() / reference);
      ASSERT_TRUE(model.ok()) << model.error().message;
      for (const auto& path : models) {
        const auto twin = load_model(path);
        ASSERT_TRUE(twin.ok()) << twin.error().message;
        for (const auto& file : data) feed_pair(file, *model, *twin);
        ++pairs;
      }
    }
  }
  EXPECT_GE(pairs, 20);
}

}  // namespace
}  // namespace visq
