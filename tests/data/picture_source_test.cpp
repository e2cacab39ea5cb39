// Pictures as test data: files against what Pillow reads and resizes them to (pictures/make_pictures.py), and what is done to values.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "data/data_fixture.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using ::testing::ElementsAre;
using testing::floats;
using ::testing::HasSubstr;
using testing::npy;
using testing::write_bytes;
using Resize = Preparation::Resize;

std::string picture(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/tests/data/pictures/" + name; }

Model taking(Shape shape) { return data_model("m.tflite", {data_tensor("x", DType::kFloat32, std::move(shape))}); }

Preparation to_size(Resize resize, int width = 0, int height = 0) {
  Preparation wanted;
  wanted.resize = resize;
  wanted.width = width;
  wanted.height = height;
  return wanted;
}

Preparation with_values(double scale, std::vector<double> mean = {}, std::vector<double> deviation = {}, bool bgr = false,
                        PictureLayout layout = PictureLayout::kUnknown) {
  Preparation wanted;
  wanted.scale = scale;
  wanted.mean = std::move(mean);
  wanted.deviation = std::move(deviation);
  wanted.bgr = bgr;
  wanted.layout = layout;
  return wanted;
}

/// What Pillow made of a picture.
std::vector<int> stored(const std::string& name, const Shape& shape) {
  const Model any = data_model("m.tflite", {data_tensor("x", DType::kUInt8, shape)});
  const auto source = open_data(picture(name), any);  // stacked: a record per row
  EXPECT_TRUE(source.ok()) << source.error().message;
  std::vector<int> values;
  for (std::int64_t row = 0; source.ok() && row < (*source)->count(); ++row) {
    const auto record = (*source)->read(row);
    for (const std::uint8_t value : record->inputs[0].values<std::uint8_t>()) values.push_back(value);
  }
  return values;
}

int largest_difference(const Array& array, const std::vector<int>& wanted) {
  const auto found = array.values<std::uint8_t>();
  EXPECT_EQ(found.size(), wanted.size());
  int largest = 0;
  for (std::size_t i = 0; i < found.size() && i < wanted.size(); ++i) largest = std::max(largest, std::abs(found[i] - wanted[i]));
  return largest;
}

class Pictures : public testing::DataTest {
 protected:
  void SetUp() override {
    if (VISQ_BUILT_WITH_JPEG == 0 || VISQ_BUILT_WITH_PNG == 0) GTEST_SKIP() << "built without JPEG or PNG";
  }
};

TEST_F(Pictures, AreWhatPillowReads) {
  for (const std::string name : {"photo.jpg", "grey.jpg", "plain.png", "palette.png", "alpha.png"}) {
    const Record record = read(picture(name), taking({1, 38, 50, 3}));
    std::string file = name;
    file[file.find('.')] = '_';
    EXPECT_LE(largest_difference(record.inputs[0], stored(file + ".npy", {50, 3})), name.ends_with("jpg") ? 1 : 0) << name;
  }
  const Record grey = read(picture("photo.jpg"), taking({1, 38, 50, 1}));
  EXPECT_LE(largest_difference(grey.inputs[0], stored("photo_jpg_L.npy", {50})), 1);
}

TEST_F(Pictures, AreResizedAsPillowDoes) {
  for (const auto& [width, height] : {std::pair(16, 12), {24, 60}, {50, 20}, {77, 38}, {90, 80}}) {
    const auto wanted = stored(fmt::format("photo_jpg_{}x{}.npy", width, height), {width, 3});
    for (const Resize resize : {Resize::kInput, Resize::kStretch}) {
      const Record record = read(picture("photo.jpg"), taking({1, height, width, 3}), to_size(resize, width, height));
      EXPECT_LE(largest_difference(record.inputs[0], wanted), 1) << width << "x" << height;
    }
  }
}

TEST_F(Pictures, TheShorterSideIsScaledAndTheMiddleTaken) {
  const Preparation wanted = to_size(Resize::kMiddle, 19);
  const Record whole = read(picture("photo.jpg"), taking({1, 19, 25, 3}), wanted);
  const Record middle = read(picture("photo.jpg"), taking({1, 15, 15, 3}), wanted);
  for (std::size_t y = 0; y < 15; ++y) {
    for (std::size_t x = 0; x < 45; ++x) {
      EXPECT_EQ(middle.inputs[0].values<std::uint8_t>()[y * 45 + x], whole.inputs[0].values<std::uint8_t>()[(y + 2) * 75 + 15 + x]);
    }
  }
  EXPECT_THAT(error(picture("photo.jpg"), taking({1, 20, 25, 3}), wanted), HasSubstr("25x19 pixels, input 0 'x' takes 25x20"));
}

TEST_F(Pictures, ValuesAreScaledMovedAndDividedPerChannelInTheModelsLayout) {
  const Record plain = read(picture("plain.png"), taking({1, 38, 50, 3}));
  const auto bytes = plain.inputs[0].values<std::uint8_t>();
  const Preparation wanted = with_values(1 / 255.0, {0.5, 0.25, 0.125}, {2}, true);
  const Record nhwc = read(picture("plain.png"), taking({1, 38, 50, 3}), wanted);
  const Record nchw = read(picture("plain.png"), taking({1, 3, 38, 50}), wanted);
  EXPECT_EQ(nchw.inputs[0].shape, Shape({1, 3, 38, 50}));
  for (std::size_t p = 0; p < 38 * 50; ++p) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto value = static_cast<float>((bytes[3 * p + 2 - c] / 255.0 - wanted.mean[c]) / 2);
      ASSERT_FLOAT_EQ(nhwc.inputs[0].values<float>()[3 * p + c], value);
      ASSERT_FLOAT_EQ(nchw.inputs[0].values<float>()[c * 38 * 50 + p], value);
    }
  }
}

TEST_F(Pictures, AFolderIsReadInTheOrderOfNamesOrNumbers) {
  const auto copy = [&](const std::string& from, const std::string& to) { std::filesystem::copy_file(picture(from), folder_.file(to)); };
  copy("plain.png", "d/10.png");
  copy("photo.jpg", "d/9.JPG");
  write_bytes(folder_.file("d/labels.txt"), "1 2");
  const auto source = open_data(folder_.file("d"), taking({1, 38, 50, 3}));
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->count(), 2);
  EXPECT_EQ((*source)->read(0)->inputs[0].bytes, read(picture("photo.jpg"), taking({1, 38, 50, 3})).inputs[0].bytes);
  copy("plain.png", "c/cat/b.png");
  copy("photo.jpg", "c/ape/z.jpg");
  EXPECT_EQ(read(folder_.file("c"), taking({1, 38, 50, 3}), {}, 1).inputs[0].bytes,
            read(picture("plain.png"), taking({1, 38, 50, 3})).inputs[0].bytes);
}

TEST_F(Pictures, MessagesSayWhatToDo) {
  std::filesystem::copy_file(picture("photo.jpg"), folder_.file("d/a.jpg"));
  EXPECT_EQ(
      error(folder_.file("d"), taking({1, 224, 224, 3})),
      "d/a.jpg: record 0: 50x38 pixels, input 0 'x' takes 224x224; --resize input stretches them, --resize 256 scales the shorter side "
      "and takes the middle");
  EXPECT_EQ(error(folder_.file("d"), taking({1, 10})),
            "d: holds pictures, but input 0 'x' of m.tflite takes float32 [1, 10], not one picture of 1 or 3 channels");
  const Model two = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 8, 8, 3}), data_tensor("y", DType::kFloat32, {1})});
  EXPECT_EQ(error(folder_.file("d"), two),
            "d: holds pictures for one input, m.tflite has 2; give each input its own, as -d INPUT=d,INPUT=PATH");
  write_bytes(folder_.file("d/a.jpg"), "no picture");
  EXPECT_EQ(error(folder_.file("d"), taking({1, 38, 50, 3})), "d/a.jpg: is neither a JPEG nor a PNG file, whatever its name says");
  EXPECT_EQ(error(picture("photo.jpg"), taking({1, 38, 50, 3}), with_values(1, {1, 2})),
            picture("photo.jpg") + ": record 0, input 0 'x': --mean has 2 values, but there are 3 channels");
}

TEST_F(Pictures, DamagedOnesAreRefusedOrRemarked) {
  for (const std::string name : {"photo.jpg", "plain.png"}) {
    std::ifstream file(picture(name), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t size = 8; size < whole.size() - 2; size += 37) {
      const std::string cut = folder_.file("cut" + name);
      write_bytes(cut, whole.substr(0, size));
      const auto source = open_data(cut, taking({1, 38, 50, 3}));
      ASSERT_TRUE(source.ok());
      const auto record = (*source)->read(0);
      if (record.ok()) {
        EXPECT_THAT(record->remarks, ElementsAre(HasSubstr("the file is damaged or cut off; what it lacks is guessed")));
      } else {
        EXPECT_THAT(record.error().message, HasSubstr("file is damaged"));
      }
    }
  }
}

TEST_F(Pictures, ArraysAreTurnedAndScaledToo) {
  const std::string file = folder_.file("a.npy");
  write_bytes(file, npy("|u1", array_of<std::uint8_t>(DType::kUInt8, {1, 3, 1, 2}, {0, 51, 102, 153, 204, 255})));
  EXPECT_EQ(error(file, taking({1, 1, 2, 3})),
            "a.npy: record 0, input 0 'x': shape [3, 1, 2], expected [1, 1, 2, 3]: the channels come first in the data, and last in the "
            "model: --layout nchw");
  const Record record = read(file, taking({1, 1, 2, 3}), with_values(1 / 51.0, {}, {}, false, PictureLayout::kNchw));
  EXPECT_EQ(record.inputs[0].shape, Shape({1, 1, 2, 3}));
  EXPECT_THAT(values(record.inputs[0]), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(error(file, taking({1, 1, 2, 3}), to_size(Resize::kInput)), HasSubstr("--resize: a.npy holds no PNG or JPEG files"));
  write_bytes(file, npy("<f4", floats({2, 2}, {0, 255, 51, 102})));
  EXPECT_THAT(values(read(file, taking({1, 2}), with_values(1 / 51.0)).inputs[0]), ElementsAre(0, 5));
  EXPECT_THAT(error(file, taking({1, 2}), with_values(1, {}, {}, true)), HasSubstr("no input of m.tflite takes pictures"));
}

TEST_F(Pictures, InputsOfSeveralPlaces) {
  const Model two =
      data_model("m.tflite", {data_tensor("serving_default_x:0", DType::kFloat32, {1, 38, 50, 3}), data_tensor("y", DType::kFloat32, {1})});
  const std::string y = folder_.file("y.npy");
  write_bytes(y, npy("<f4", floats({1, 1}, {7})));
  const std::string both = "y=" + y + ",x=" + picture("plain.png");
  const Record record = read(both, two);
  ASSERT_EQ(record.inputs.size(), 2U);
  EXPECT_EQ(record.inputs[0].shape, Shape({1, 38, 50, 3}));
  EXPECT_THAT(values(record.inputs[1]), ElementsAre(7));
  EXPECT_EQ(data_files(both), (std::vector<std::string>{y, picture("plain.png")}));
  EXPECT_THAT(error("z=" + y + ",x=" + picture("plain.png"), two), HasSubstr("names and inputs do not match: names 'z', 'x'; inputs "));
}

}  // namespace
}  // namespace visq
