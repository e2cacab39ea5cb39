// Boxes from COCO's JSON and masks from files of any kind, sound ones and hostile ones.
#include "visq/data/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/runs/data_files.h"
#include "support/runs/memory_source.h"
#include "support/runs/png_files.h"
#include "support/runs/zip_files.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kCategories = R"("categories": [{"id": 7, "name": "cat", "supercategory": "animal"}, {"id": 2}])";
const char* const kImages =
    R"("images": [{"id": 5, "file_name": "a/b.jpg", "width": 20, "height": 10}, {"id": 3, "width": 1, "height": 1}])";

/// What is made of a file of three lists.
Result<BoxTruth> boxes_of(const DataFolder& folder, const std::string& text) {
  write_bytes(folder.file("t.json"), text);
  return load_boxes(folder.file("t.json"));
}
std::string document(const std::string& annotations) {
  return std::string("{\"info\": {\"images\": [1]}, ") + kImages + ", \"annotations\": [" + annotations + "], " + kCategories + "}";
}

TEST(Boxes, AreThoseOfTheirPictures) {
  const DataFolder folder;
  const auto truth = boxes_of(
      folder, document(R"({"id": 0, "image_id": 5, "category_id": 7, "bbox": [1.5, 2, 3, 4], "segmentation": [[1, 2, 3]], "area": 12},
                          {"image_id": 5, "category_id": 2, "bbox": [0, 0, 9, 9], "iscrowd": 1, "segmentation": {"counts": [1], "size": [2]}})"));
  ASSERT_TRUE(truth.ok()) << truth.error().message;
  EXPECT_THAT(truth->categories, ElementsAre(2, 7));
  ASSERT_EQ(truth->pictures.size(), 2U);
  EXPECT_EQ(truth->pictures[0].file, "a/b.jpg");
  EXPECT_EQ(truth->pictures[0].width, 20);
  EXPECT_TRUE(truth->pictures[1].boxes.empty());
  const auto& boxes = truth->pictures[0].boxes;
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].box.x, 1.5);
  EXPECT_EQ(boxes[0].box.height, 4);
  EXPECT_EQ(boxes[0].category, 1);
  EXPECT_FALSE(boxes[0].crowd);
  EXPECT_TRUE(boxes[1].crowd);
}

TEST(Boxes, WhatIsWrongIsNamedWithItsPlace) {
  const DataFolder folder;
  const auto message = [&](const std::string& text) {
    const auto truth = boxes_of(folder, text);
    const std::string path = folder.file("t.json") + ": ";
    if (truth.ok()) return std::string("none");
    EXPECT_THAT(truth.error().message, StartsWith(path));
    return truth.error().message.substr(path.size());
  };
  EXPECT_THAT(message("{"), HasSubstr("is no JSON document (at byte "));
  EXPECT_EQ(message("{}"), "has no list 'images', so it is no ground truth of boxes as COCO's JSON has it");
  EXPECT_EQ(message(R"({"images": 5})"), "has no list 'images', so it is no ground truth of boxes as COCO's JSON has it");
  EXPECT_EQ(message(R"({"images": [], "annotations": [], "categories": []})"), "its list 'images' is empty");
  EXPECT_EQ(message(R"({"images": [7]})"), "entry 0 of 'images' is no object");
  EXPECT_EQ(message(R"({"images": [[7]]})"), "entry 0 of 'images' is no object");
  EXPECT_EQ(message(R"({"images": ["x"]})"), "entry 0 of 'images' is no object");
  EXPECT_EQ(message(R"({"images": [{"width": 5, "height": 5}]})"), "entry 0 of 'images': 'id' is missing or no whole number");
  EXPECT_EQ(message(R"({"images": [{"id": 1e300, "width": 5, "height": 5}]})"), "entry 0 of 'images': 'id' is missing or no whole number");
  EXPECT_EQ(message(R"({"images": [{"id": 1, "width": 0, "height": 5}]})"),
            "entry 0 of 'images': 'width' or 'height' is missing or not above 0");
  EXPECT_EQ(message(document(R"({"image_id": 5, "category_id": 7, "bbox": [1, 2, 3]})")),
            "entry 0 of 'annotations': 'bbox' is not x, y, width and height");
  EXPECT_EQ(message(document(R"({"image_id": 5, "category_id": 7, "bbox": [1, 2, 3, -4]})")),
            "entry 0 of 'annotations': 'bbox' is not x, y, width and height");
  EXPECT_EQ(message(document(R"({"image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4]})")),
            "entry 0 of 'annotations': there is no image 9");
  EXPECT_EQ(message(document(R"({"image_id": 5, "category_id": 8, "bbox": [1, 2, 3, 4]})")),
            "entry 0 of 'annotations': there is no category 8");
  EXPECT_EQ(message(R"({"images": [{"id": 1, "width": 5, "height": 5}, {"id": 1, "width": 5, "height": 5}],
                        "annotations": [], "categories": []})"),
            "image 1 is there twice");
  EXPECT_EQ(message(R"({"images": [{"id": 1, "width": 5, "height": 5}], "annotations": [], "categories": [{"id": 4}, {"id": 4}]})"),
            "category 4 is there twice");
}

TEST(Boxes, ManyOpenBracketsAreNoTrouble) {
  const DataFolder folder;
  EXPECT_FALSE(boxes_of(folder, "{\"images\":" + std::string(1'000'000, '[')).ok());
  EXPECT_TRUE(boxes_of(folder, "{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + "," + document("").substr(1)).ok());
}

TEST(Boxes, AreToldFromLabelsByTheirFirstLetter) {
  const DataFolder folder;
  write_bytes(folder.file("a"), "\n {");
  write_bytes(folder.file("b"), "label\n1\n");
  EXPECT_TRUE(holds_boxes(folder.file("a")));
  EXPECT_FALSE(holds_boxes(folder.file("b")));
  EXPECT_FALSE(holds_boxes(folder.file("nothing")));
}

Array codes(Shape shape, const std::vector<std::uint8_t>& values) { return array_of(DType::kUInt8, std::move(shape), values); }

TEST(Masks, AreStackedArraysOrOnePerFile) {
  const DataFolder folder;
  const Array two = codes({2, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  write_bytes(folder.file("m.npy"), npy("|u1", two));
  write_bytes(folder.file("m.npz"), zip({{"masks.npy", npy("|u1", two)}}, true));
  write_bytes(folder.file("m/0.npy"), npy("|u1", codes({2, 3, 1}, {0, 1, 2, 3, 4, 5})));
  write_bytes(folder.file("m/1.npy"), npy("|u1", codes({2, 3}, {6, 7, 8, 9, 10, 11})));
  Hdf5File(folder.file("m.h5")).dataset("masks", two);
  for (const std::string name : {"m.npy", "m.npz", "m", "m.h5:/masks"}) {
    const auto masks = open_masks(folder.file(name));
    ASSERT_TRUE(masks.ok()) << masks.error().message;
    EXPECT_EQ((*masks)->count(), 2) << name;
    const auto last = (*masks)->read(1);
    ASSERT_TRUE(last.ok()) << last.error().message;
    EXPECT_EQ(last->inputs[0].shape, Shape({2, 3})) << name;
    EXPECT_THAT(last->inputs[0].values<std::uint8_t>(), ElementsAre(6, 7, 8, 9, 10, 11)) << name;
  }
}

TEST(Masks, RefuseWhatIsNone) {
  const DataFolder folder;
  write_bytes(folder.file("f.npy"), npy("<f4", floats({1, 2, 2}, {0, 1, 2, 3})));
  write_bytes(folder.file("l.npy"), npy("|u1", codes({4}, {0, 1, 2, 3})));
  EXPECT_THAT(open_masks(folder.file("f.npy")).value()->read(0).error().message,
              HasSubstr("record 0: float32 of shape [2, 2] is no mask; expected whole numbers, [height, width]"));
  EXPECT_THAT(open_masks(folder.file("l.npy")).value()->read(0).error().message, HasSubstr("is no mask"));
  EXPECT_FALSE(open_masks(folder.file("nothing")).ok());
}

TEST(Masks, AreTheNumbersInPngFiles) {
  if (VISQ_BUILT_WITH_PNG == 0) GTEST_SKIP() << "built without PNG";
  using namespace std::string_literals;
  const DataFolder folder;
  write_bytes(folder.file("m/b.png"), png_file(3, 2, 8, 0, "\0\1\2\3\0\4\5\xFF"s));                         // grey
  write_bytes(folder.file("m/a.png"), png_file(4, 1, 2, 3, "\0\x1B"s, "\0\0\0\xFF\0\0\0\xFF\0\0\0\xFF"s));  // palette, 0 1 2 3
  write_bytes(folder.file("m/c.png"), png_file(1, 1, 16, 0, "\0\x01\x02"s));
  const auto masks = open_masks(folder.file("m"));
  ASSERT_TRUE(masks.ok()) << masks.error().message;
  const auto values = [&](std::int64_t i) {
    const Array array = (*masks)->read(i).value().inputs[0];
    return std::vector<int>(array.values<std::uint16_t>().begin(), array.values<std::uint16_t>().end());
  };
  EXPECT_THAT(values(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(1), ElementsAre(1, 2, 3, 4, 5, 255));
  EXPECT_THAT(values(2), ElementsAre(258));
  EXPECT_EQ((*masks)->read(1)->inputs[0].shape, Shape({2, 3}));
  EXPECT_EQ(std::filesystem::path((*masks)->record_name(1)).filename(), "b.png");
}

TEST(Masks, ColoursAndDamagedFilesAreRefused) {
  if (VISQ_BUILT_WITH_PNG == 0) GTEST_SKIP() << "built without PNG";
  using namespace std::string_literals;
  const DataFolder folder;
  write_bytes(folder.file("rgb.png"), png_file(1, 1, 8, 2, "\0\1\2\3"s));
  write_bytes(folder.file("short.png"), png_file(3, 2, 8, 0, "\0\1\2"s));
  write_bytes(folder.file("jpeg.png"), "\xFF\xD8\xFF");
  EXPECT_THAT(open_masks(folder.file("rgb.png")).value()->read(0).error().message,
              HasSubstr("holds colours; masks are PNG files of one channel"));
  EXPECT_THAT(open_masks(folder.file("short.png")).value()->read(0).error().message, HasSubstr("the PNG file is damaged"));
  EXPECT_THAT(open_masks(folder.file("jpeg.png")).value()->read(0).error().message, HasSubstr("is no PNG file"));
}

/// Records that are files.
class NamedRecords final : public MemorySource {
 public:
  explicit NamedRecords(std::vector<std::string> names) : MemorySource(std::vector<Array>(names.size())), names_(std::move(names)) {}
  std::string record_name(std::int64_t index) const override { return names_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::string> names_;
};

TEST(PlacesByName, AreNamesOrElseNumbers) {
  const NamedRecords photos({"photos/b.jpg", "photos/a.jpg", "photos/c.jpg"});
  EXPECT_THAT(places_by_name(photos, {"val/a.jpg", "val/b.jpg"}, true), ElementsAre(1, 0, -1));
  EXPECT_THAT(places_by_name(photos, {"masks/a.png", "masks/c.png"}, false), ElementsAre(-1, 0, 1));
  EXPECT_THAT(places_by_name(photos, {"", ""}, true), ElementsAre(0, 1, -1)) << "no names in the truth";
  EXPECT_THAT(places_by_name(MemorySource(std::vector<Array>(2)), {"a", "b", "c"}, true), ElementsAre(0, 1)) << "no names in the data";
}

}  // namespace
}  // namespace visq::testing
