// Mean average precision against what COCO's own evaluation says (make_coco_cases.py), and cases that can be counted by hand.
#include "analysis/scores/box_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/runs/data_files.h"

namespace visq::analysis {
namespace {

using Json = nlohmann::json;

Json stored_cases() {
  std::ifstream file(std::string(VISQ_SOURCE_DIR) + "/tests/analysis/scores/coco_cases.json");
  return Json::parse(file);
}

Result<ModelScore> score_of(const Json& each) {
  const testing::DataFolder folder;
  const std::string path = folder.file("truth.json");
  testing::write_bytes(path, each["truth"].dump());
  const BoxTruth truth = load_boxes(path).value();
  BoxScore score(truth.categories.size());
  for (const TruePicture& picture : truth.pictures) {
    std::vector<FoundBox> found;
    for (const Json& box : each["found"]) {
      if (box["image_id"] != picture.id) continue;
      const auto category = std::ranges::find(truth.categories, box["category_id"].get<std::int64_t>());
      const Json& edges = box["bbox"];
      found.push_back({{edges[0].get<double>(), edges[1].get<double>(), edges[2].get<double>(), edges[3].get<double>()},
                       box["score"].get<double>(),
                       static_cast<int>(category - truth.categories.begin())});
    }
    score.add(picture, found);
  }
  return score.finish("truth");
}

TEST(BoxScore, IsThatOfCocosEvaluation) {
  int scored = 0;
  for (const Json& each : stored_cases()) {
    const auto score = score_of(each);
    const double wanted = each["map"];
    if (wanted < 0) {
      EXPECT_EQ(score.error().message, "truth: none of the pictures that were run has a box") << each["name"];
      continue;
    }
    ASSERT_TRUE(score.ok()) << each["name"];
    EXPECT_NEAR(score->main, wanted, 1e-12) << each["name"];
    EXPECT_NEAR(score->second, each["map50"].get<double>(), 1e-12) << each["name"];
    ++scored;
  }
  EXPECT_GE(scored, 4);
}

const TruePicture kOneBox{.id = 1, .file = "", .width = 10, .height = 10, .boxes = {{{0, 0, 10, 10}, 0, false}}};

TEST(BoxScore, CountsThresholdsThatAnOverlapReaches) {
  BoxScore exact(1), narrow(1);
  exact.add(kOneBox, std::vector<FoundBox>{{{0, 0, 10, 10}, 0.9, 0}});
  narrow.add(kOneBox, std::vector<FoundBox>{{{0, 0, 10, 6.2}, 0.9, 0}});  // an overlap of 0.62: thresholds of 0.5, 0.55, 0.6
  EXPECT_DOUBLE_EQ(exact.finish("")->main, 1);
  EXPECT_NEAR(narrow.finish("")->main, 0.3, 1e-12);
  EXPECT_NEAR(narrow.finish("")->second, 1, 1e-12);
}

TEST(BoxScore, ASecondBoxOnTheSameObjectIsWrong) {
  BoxScore score(1);
  score.add(kOneBox, std::vector<FoundBox>{{{0, 0, 10, 10}, 0.5, 0}, {{0, 0, 10, 9.9}, 0.9, 0}});
  // The surer one takes it at all thresholds; the other is wrong, behind full recall, which costs nothing.
  EXPECT_NEAR(score.finish("")->second, 1, 1e-12);
  BoxScore other(1);
  other.add(kOneBox, std::vector<FoundBox>{{{0, 0, 10, 10}, 0.5, 0}, {{50, 50, 10, 10}, 0.9, 0}});
  EXPECT_NEAR(other.finish("")->second, 0.5, 1e-12) << "one wrong before the right one";
}

TEST(BoxScore, NoNumbersAreNeverRight) {
  const double nan = std::nan("");
  BoxScore score(1);
  score.add(kOneBox, std::vector<FoundBox>{{{nan, 0, 10, 10}, 0.9, 0}, {{0, 0, 10, 10}, nan, 0}, {{0, 0, 10, 10}, 0.1, 0}});
  EXPECT_NEAR(score.finish("")->second, 0.5, 1e-12);
}

}  // namespace
}  // namespace visq::analysis
