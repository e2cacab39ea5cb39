// Dumps as devices write them, beside the model that they are of: which map is which, how they lie, and whose kernel is wrong.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/runs/data_files.h"
#include "support/runs/fake_device.h"
#include "support/runs/zip_files.h"
#include "visq/device/compare_device.h"

namespace visq {
namespace {

using ::testing::Contains;
using testing::DataFolder;
using testing::FakeDevice;
using testing::FakeMap;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::npy;
using testing::write_bytes;

constexpr std::int64_t kRecords = 3;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/" + name; }

/// What a dump of the digits' int8 model came to.
struct Judged {
  DeviceReport report;
  std::vector<std::string> remarks;
  std::string error;

  const DeviceMap* first() const { return report.first < 0 ? nullptr : &report.maps[static_cast<std::size_t>(report.first)]; }
};

class DeviceDumps : public ::testing::Test {
 protected:
  DeviceDumps() {
    const auto shared = std::make_shared<const Model>(load_model(example("digits/int8.tflite")).value());
    model_ = shared;
    const auto data = open_data(example("digits/data.h5"), *shared).value();
    RunOptions options;
    options.mode = Mode::kInteger;
    options.records = {0, kRecords};
    const auto writer = DumpWriter::create(folder_.file("model.h5"), shared->path, Mode::kInteger).value();
    EXPECT_TRUE(run(shared, *data, options, *writer).ok());
    EXPECT_TRUE(writer->commit().ok());
  }

  Judged judge(const std::string& path, const DeviceDumpOptions& options = {}) const {
    Judged result;
    const auto own = open_dump(folder_.file("model.h5"));
    const auto dump = open_dump(path);
    if (!dump.ok()) return {{}, {}, dump.error().message};
    const auto device = device_dump(**dump, path, **own, *model_, options, result.remarks);
    if (!device.ok()) return {{}, {}, device.error().message};
    const auto report = device_report(**device, **own, *model_);
    if (!report.ok()) return {{}, {}, report.error().message};
    result.report = *report;
    return result;
  }

  /// What every kind of dump must come to.
  void expect_agreement(const std::string& path) const {
    SCOPED_TRACE(path);
    const Judged judged = judge(path);
    ASSERT_EQ(judged.error, "");
    EXPECT_EQ(judged.first(), nullptr) << judged.first()->name;
    EXPECT_GE(judged.report.maps.size(), 10U);
    for (const DeviceMap& map : judged.report.maps) {
      EXPECT_EQ(map.whole.differing, 0) << map.name;
      EXPECT_EQ(map.whole.elements, map.node < 0 ? kRecords * 64 : map.whole.elements);
      EXPECT_EQ(map.own.elements, map.node >= 0 ? map.whole.elements : 0) << map.name;
    }
  }

  FakeDevice device() const { return {example("digits/int8.tflite"), example("digits/data.h5"), kRecords}; }

  DataFolder folder_;
  std::shared_ptr<const Model> model_;
};

TEST_F(DeviceDumps, OfEveryKindAgreeWhereTheDeviceDoes) {
  const FakeDevice device = this->device();
  device.write_npy_folders(folder_.file("npy"));
  device.write_npz(folder_.file("a.npz"), false);
  device.write_npz(folder_.file("b.npz"), true);
  device.write_texts(folder_.file("txt"));
  device.write_manifest(folder_.file("csv"), false);
  device.write_manifest(folder_.file("json"), true);
  for (const char* path : {"npy", "a.npz", "b.npz", "txt", "csv", "csv/manifest.csv", "json"}) expect_agreement(folder_.file(path));
}

TEST_F(DeviceDumps, TextsWithChannelsSecondAreRecognizedAndSaid) {
  device().write_texts(folder_.file("txt"));
  const Judged judged = judge(folder_.file("txt"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("stem/Relu: its channels come second (NCHW): ")));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("(correlation 1.000)")));
}

TEST_F(DeviceDumps, ABrokenKernelIsNamedThoughAllBehindItIsOffToo) {
  FakeDevice broken(example("cases/device_int8.tflite"), example("digits/data.h5"),
                    kRecords);  // a depthwise convolution with one scale for all channels
  broken.write_npz(folder_.file("a.npz"), true);
  const Judged judged = judge(folder_.file("a.npz"));
  ASSERT_NE(judged.first(), nullptr) << judged.error;
  EXPECT_EQ(judged.first()->name, "spatial/Relu6");
  EXPECT_EQ(judged.first()->fault, "kernel");
  EXPECT_GT(judged.first()->own.beyond, 0);
  EXPECT_THAT(judged.first()->unseen, IsEmpty());
  int off = 0;
  for (const DeviceMap& map : judged.report.maps) {
    EXPECT_EQ(map.fault.empty(), map.name != "spatial/Relu6") << map.name;  // the others do their work
    off += map.whole.beyond > 0 ? 1 : 0;
  }
  EXPECT_GE(off, 3);
}

TEST_F(DeviceDumps, ALayerWhoseElementsLieOtherwiseIsNamed) {
  FakeDevice swapped = device();
  FakeMap& map = swapped.map("stem/Relu");
  for (Array& record : map.records) {
    const Shape shape = record.shape;
    record = FakeDevice::channels_second(record);
    record.shape = shape;  // it says that nothing has changed
  }
  swapped.write_npy_folders(folder_.file("npy"));
  const Judged judged = judge(folder_.file("npy"));
  EXPECT_EQ(judged.first(), nullptr) << judged.error;
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("stem/Relu: its channels come second (NCHW), though its axes do not say so")));
}

TEST_F(DeviceDumps, AWrongZeroPointIsNamed) {
  FakeDevice shifted = device();
  for (Array& record : shifted.map("pointwise/BiasAdd").records) {
    for (std::int8_t& code : record.values<std::int8_t>()) code = static_cast<std::int8_t>(std::min(127, code + 3));
  }
  shifted.write_npz(folder_.file("a.npz"), true);
  const Judged judged = judge(folder_.file("a.npz"));
  ASSERT_NE(judged.first(), nullptr) << judged.error;
  EXPECT_EQ(judged.first()->name, "pointwise/BiasAdd");
  EXPECT_EQ(judged.first()->fault, "zero point");
  EXPECT_EQ(judged.first()->own.offset, 3);
  // A list that states another one is told as well.
  FakeDevice stated = device();
  stated.map("stem/Relu").zero_point[0] += 5;
  stated.write_manifest(folder_.file("csv"), false);
  const Judged other = judge(folder_.file("csv"));
  ASSERT_NE(other.first(), nullptr) << other.error;
  EXPECT_EQ(other.first()->fault, "zero point");
  EXPECT_THAT(other.remarks, Contains(HasSubstr("stem/Relu: the dump says scale ")));
}

TEST_F(DeviceDumps, TiesRoundedTheOtherWayAreNoFault) {
  FakeDevice optimized = device();
  for (FakeMap& map : optimized.maps()) {
    if (map.name == "image") continue;
    std::int8_t& code = map.records[1].values<std::int8_t>()[0];
    code = static_cast<std::int8_t>(code < 127 ? code + 1 : 126);
  }
  optimized.write_npz(folder_.file("a.npz"), true);
  const Judged judged = judge(folder_.file("a.npz"));
  EXPECT_EQ(judged.error, "");
  for (const DeviceMap& map : judged.report.maps) EXPECT_LE(map.whole.largest, 1.001) << map.name;
}

TEST_F(DeviceDumps, MapsThatAreNotThereAreLookedThrough) {
  FakeDevice broken(example("cases/device_int8.tflite"), example("digits/data.h5"), kRecords);
  std::erase_if(broken.maps(), [](const FakeMap& map) { return map.name == "spatial/Relu6"; });
  broken.write_npz(folder_.file("a.npz"), true);
  const Judged judged = judge(folder_.file("a.npz"));
  ASSERT_NE(judged.first(), nullptr) << judged.error;
  EXPECT_EQ(judged.first()->name, "pointwise/BiasAdd");
  EXPECT_THAT(judged.first()->unseen, ::testing::ElementsAre("spatial/Relu6"));
}

TEST_F(DeviceDumps, ChannelsThatAreFilledUpAndUnsignedCodesAreUnderstood) {
  FakeDevice padded = device();
  for (const char* name : {"stem/Relu", "spatial/Relu6"}) {
    FakeMap& map = padded.map(name);
    const std::int64_t unit = map.shape[3] % 32 == 0 ? 0 : 32;
    ASSERT_NE(unit, 0);
    for (Array& record : map.records) record = FakeDevice::filled_up(record, unit);
  }
  FakeMap& lifted = padded.map("pointwise/BiasAdd");
  lifted.dtype = DType::kUInt8;
  for (Array& record : lifted.records) {
    record.dtype = DType::kUInt8;
    for (std::uint8_t& code : record.values<std::uint8_t>()) code = static_cast<std::uint8_t>(code ^ 0x80);
  }
  padded.write_npy_folders(folder_.file("npy"));
  expect_agreement(folder_.file("npy"));
  const Judged judged = judge(folder_.file("npy"));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("channels are filled up to 32")));
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("pointwise/BiasAdd: codes of uint8 for the model's int8: taken less 128")));
}

TEST_F(DeviceDumps, RecordsAreCountedThoughChannelsAreFilledUp) {
  for (const std::int64_t unit : {4, 8, 16, 32}) {
    FakeDevice padded = device();
    for (FakeMap& map : padded.maps()) {
      if (map.shape.rank() != 4) continue;
      for (Array& record : map.records) record = FakeDevice::filled_up(record, unit);
    }
    padded.write_npz(folder_.file("a.npz"), true);
    expect_agreement(folder_.file("a.npz"));
  }
  // A map that holds fewer records than the others is left out, and named.
  FakeDevice short_of_one = device();
  short_of_one.map("stem/Relu").records.pop_back();
  short_of_one.write_npz(folder_.file("b.npz"), true);
  const Judged judged = judge(folder_.file("b.npz"));
  EXPECT_EQ(judged.error, "");
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("'stem_Relu' [2, 8, 8, 16]: its first axis does not count 3 records")));
}

TEST_F(DeviceDumps, StOutputsAreFoundByTheirNumber) {
  const FakeDevice device = this->device();
  FakeDevice copy = device;
  const FakeMap& output = copy.map(model_->main().tensors[static_cast<std::size_t>(model_->main().outputs[0])].name);
  Array reals = make_array(DType::kFloat32, {kRecords, 1, 1, output.shape.back()});
  std::size_t at = 0;
  for (const Array& record : output.records) {
    for (const std::int8_t code : record.values<std::int8_t>()) {
      reals.values<float>()[at++] = output.scale[0] * static_cast<float>(code - output.zero_point[0]);
    }
  }
  write_bytes(folder_.file("network_val_io.npz"),
              testing::zip({{"m_outputs_1.npy", npy("<f4", reals)}, {"c_outputs_1.npy", npy("<f4", reals)}}, false));
  const Judged judged = judge(folder_.file("network_val_io.npz"));
  ASSERT_EQ(judged.error, "");
  ASSERT_EQ(judged.report.maps.size(), 1U);
  EXPECT_EQ(judged.report.maps[0].whole.beyond, 0);
  EXPECT_THAT(judged.remarks, Contains(HasSubstr("no map of the model's: 'm_outputs_1'")));
}

TEST_F(DeviceDumps, OfTfliteMicrosToolAreRead) {
  FakeDevice broken(example("cases/device_int8.tflite"), example("digits/data.h5"), 1);
  broken.write_micro_debug(folder_.file("layers.bin"));
  const Judged judged = judge(folder_.file("layers.bin"));
  ASSERT_NE(judged.first(), nullptr) << judged.error;
  EXPECT_EQ(judged.first()->name, "spatial/Relu6");
  EXPECT_FALSE(holds_dump(example("digits/int8.tflite")));
}

TEST_F(DeviceDumps, NamesThatDoNotMatchAreGivenOrGuessedAndSaid) {
  FakeDevice renamed = device();
  int number = 0;
  for (FakeMap& map : renamed.maps()) map.name = fmt::format("op{:02}", number++);
  renamed.write_npy_folders(folder_.file("npy"));
  const Judged guessed = judge(folder_.file("npy"));
  ASSERT_EQ(guessed.error, "");
  EXPECT_EQ(guessed.first(), nullptr) << guessed.first()->name;
  EXPECT_THAT(guessed.remarks,
              Contains(HasSubstr("is taken for it by its place in the order, its size and its values (correlation 1.000)")));
  renamed.write_npz(folder_.file("a.npz"), true);
  expect_agreement(folder_.file("a.npz"));
  DeviceDumpOptions options;
  options.names = {{"op01", "stem/Relu"}};
  const Judged given = judge(folder_.file("npy"), options);
  ASSERT_EQ(given.report.maps.size(), 1U) << given.error;
  EXPECT_EQ(given.report.maps[0].name, "stem/Relu");
  options.names = {{"op01", "nothing"}};
  EXPECT_THAT(judge(folder_.file("npy"), options).error, HasSubstr("has no feature map 'nothing'"));
}

TEST_F(DeviceDumps, AMapFarOffKeepsItsPlaceWhereAllAreThere) {
  FakeDevice renamed = device();
  for (Array& record : renamed.map("features/Relu").records) {
    std::ranges::reverse(record.values<std::int8_t>());
  }
  int number = 0;
  for (FakeMap& map : renamed.maps()) map.name = fmt::format("op{:02}", number++);
  renamed.write_npz(folder_.file("a.npz"), true);
  const Judged judged = judge(folder_.file("a.npz"));
  ASSERT_NE(judged.first(), nullptr) << judged.error;
  EXPECT_EQ(judged.first()->name, "features/Relu");
  EXPECT_THAT(judged.remarks,
              Contains(HasSubstr("is taken for it by its place in the order and its size, as all maps are; its values differ")));
}

TEST_F(DeviceDumps, ListsThatAreWrongAreRefusedInOneLine) {
  const std::string list = folder_.file("d/manifest.csv");
  write_bytes(folder_.file("d/x.bin"), "12345678");
  const std::pair<const char*, const char*> cases[] = {
      {"file,nonsense\n", "column 'nonsense' is not known"},
      {"file,dtype,shape\n../x.bin,int8,8\n", "line 2: file '../x.bin' does not lie beside the list"},
      {"file,dtype,shape\n/etc/passwd,int8,8\n", "line 2: file '/etc/passwd' does not lie beside the list"},
      {"file,dtype,shape\nx.bin,int9,8\n", "line 2: dtype 'int9' is not known"},
      {"file,dtype,shape\nx.bin,int8,8x-1\n", "line 2: shape '8x-1' is no list of sizes"},
      {"file,dtype,shape,zero_point\nx.bin,int8,8,3\n", "line 2: a zero_point without a scale"},
      {"file,dtype,shape\nx.bin,int8,8\nx.bin,int8,8\n", "two tensors are called 'x'"},
      {"file,dtype\n", "holds no feature maps"},
  };
  for (const auto& [text, message] : cases) {
    write_bytes(list, text);
    const auto dump = open_dump(folder_.file("d"));
    ASSERT_FALSE(dump.ok()) << text;
    EXPECT_THAT(dump.error().message, HasSubstr(message));
  }
  write_bytes(list, "file,dtype,shape\nx.bin,int8,9\n");
  const auto dump = open_dump(folder_.file("d")).value();
  EXPECT_THAT(dump->read(0, dump->tensors(0)->front()).error().message, HasSubstr("has 8 bytes, but [9] of int8 need 9"));
  write_bytes(folder_.file("e/manifest.json"), "[[[[[[[[[[[[[[[[[[[[[[");
  EXPECT_THAT(open_dump(folder_.file("e")).error().message, HasSubstr("is no JSON document"));
}

}  // namespace
}  // namespace visq
