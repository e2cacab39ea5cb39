#include "visq/dump.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/dumps/dump_layout.h"
#include "visq/limits.h"

/// For builds with a leak checker: after a failed close (full disk) the library itself keeps a few buffers.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT(bugprone-reserved-identifier)

namespace visq {
namespace {

using testing::array_of;
using testing::data_tensor;
using testing::DataFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::floats;
using testing::Hdf5File;
using ::testing::IsEmpty;
using testing::quantized_tensor;

FeatureMap map_of(int tensor, const TensorInfo& info, const Array& array) {
  return {tensor, &info, array.dtype, array.shape, array.bytes.data(), array.strings};
}

class Dump : public ::testing::Test {
 protected:
  /// Writes one record of one map and reads it back.
  std::pair<DumpTensor, Array> round_trip(const TensorInfo& info, const Array& array) const {
    {
      auto writer = DumpWriter::create(path_, "m.tflite", Mode::kFp32).value();
      EXPECT_TRUE(writer->begin_record(0).ok());
      const auto status = writer->add(map_of(4, info, array));
      EXPECT_TRUE(status.ok()) << status.error().message;
      EXPECT_TRUE(writer->commit().ok());
    }
    const auto reader = open_dump(path_).value();
    const auto tensors = reader->tensors(0);
    EXPECT_TRUE(tensors.ok()) << tensors.error().message;
    EXPECT_EQ(tensors->size(), 1U);
    return {tensors->at(0), reader->read(0, tensors->at(0)).value()};
  }
  std::string open_error() const { return shown(open_dump(path_).error().message); }
  std::string shown(std::string message) const {
    const auto at = message.find(path_);
    return at == std::string::npos ? message : message.replace(at, path_.size(), "maps.h5");
  }

  DataFolder folder_;
  const std::string path_ = folder_.file("maps.h5");
};

TEST_F(Dump, KeepsModelModeRecordsAndTensors) {
  const TensorInfo x = data_tensor("input", DType::kFloat32, {1, 2});
  const TensorInfo y = quantized_tensor("conv/Relu", DType::kInt8, {1, 2}, 0.5F, -3);
  {
    auto writer = DumpWriter::create(path_, "models/net.circle", Mode::kFakeQuant);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    for (const int record : {11, 5, 6}) {
      ASSERT_TRUE((*writer)->begin_record(record).ok());
      ASSERT_TRUE((*writer)->add(map_of(10, y, floats({1, 2}, {static_cast<float>(record), 2}))).ok());
      ASSERT_TRUE((*writer)->add(map_of(2, x, floats({1, 2}, {3, 4}))).ok());
    }
    EXPECT_THAT(folder_.names(), ElementsAre(::testing::StartsWith("maps.h5.tmp")));  // nothing under its name before commit
    const auto status = (*writer)->commit();
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  EXPECT_THAT(folder_.names(), ElementsAre("maps.h5"));
  const auto reader = open_dump(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ((*reader)->model(), "net.circle");
  EXPECT_EQ((*reader)->mode(), Mode::kFakeQuant);
  EXPECT_THAT((*reader)->records(), ElementsAre(5, 6, 11));
  const auto tensors = (*reader)->tensors(11);
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2U);
  EXPECT_EQ(tensors->at(0).index, 2);
  EXPECT_EQ(tensors->at(0).name, "input");
  EXPECT_THAT(tensors->at(0).scale, IsEmpty());
  EXPECT_EQ(tensors->at(1).index, 10);
  EXPECT_EQ(tensors->at(1).name, "conv/Relu");
  EXPECT_THAT(tensors->at(1).scale, ElementsAre(0.5F));
  EXPECT_THAT(tensors->at(1).zero_point, ElementsAre(-3));
  EXPECT_EQ((*reader)->read(11, tensors->at(1)).value().bytes, floats({1, 2}, {11, 2}).bytes);
}

TEST_F(Dump, KeepsEveryType) {
  const Array arrays[] = {
      floats({2}, {1.5F, -2}),
      array_of<double>(DType::kFloat64, {2}, {1e300, -2}),
      array_of<std::uint16_t>(DType::kFloat16, {2}, {0x3E00, 0x7E01}),
      array_of<std::int8_t>(DType::kInt8, {2}, {-128, 127}),
      array_of<std::int16_t>(DType::kInt16, {2}, {-32768, 127}),
      array_of<std::int32_t>(DType::kInt32, {2}, {-70000, 127}),
      array_of<std::int64_t>(DType::kInt64, {2}, {INT64_MIN, INT64_MAX}),
      array_of<std::uint8_t>(DType::kUInt8, {2}, {0, 255}),
      array_of<std::uint16_t>(DType::kUInt16, {2}, {0, 65535}),
      array_of<std::uint32_t>(DType::kUInt32, {2}, {0, 4000000000U}),
      array_of<std::uint64_t>(DType::kUInt64, {2}, {0, ~std::uint64_t{0}}),
      array_of<std::uint8_t>(DType::kBool, {2}, {0, 1}),
      array_of<float>(DType::kComplex64, {2}, {1, 2, 3, -4}),
      array_of<double>(DType::kComplex128, {2}, {1, 2, 3, -4}),
  };
  for (const Array& array : arrays) {
    const auto [tensor, back] = round_trip(data_tensor("t", array.dtype, {2}), array);
    EXPECT_EQ(tensor.dtype, array.dtype) << name(array.dtype);
    EXPECT_EQ(back.bytes, array.bytes) << name(array.dtype);
  }
}

TEST_F(Dump, WidensTypesThatHdf5DoesNotHave) {
  const auto [int4, nibbles] = round_trip(data_tensor("t", DType::kInt4, {2}), array_of<std::int8_t>(DType::kInt4, {2}, {-8, 7}));
  EXPECT_EQ(int4.dtype, DType::kInt8);
  EXPECT_EQ(nibbles.values<std::int8_t>()[0], -8);
  const auto [uint4, unsigned_nibbles] =
      round_trip(data_tensor("t", DType::kUInt4, {2}), array_of<std::uint8_t>(DType::kUInt4, {2}, {0, 15}));
  EXPECT_EQ(uint4.dtype, DType::kUInt8);
  EXPECT_EQ(unsigned_nibbles.values<std::uint8_t>()[1], 15);
  const auto [bfloat16, wide] =
      round_trip(data_tensor("t", DType::kBFloat16, {2}), array_of<std::uint16_t>(DType::kBFloat16, {2}, {0x3FC0, 0xC000}));
  EXPECT_EQ(bfloat16.dtype, DType::kFloat32);
  EXPECT_EQ(wide.values<float>()[0], 1.5F);
  EXPECT_EQ(wide.values<float>()[1], -2);
}

TEST_F(Dump, KeepsStringsScalarsAndEmptyShapes) {
  Array texts = make_array(DType::kString, {2, 1});
  texts.strings = {"Grüße", ""};
  const auto [text, strings] = round_trip(data_tensor("t", DType::kString, {2, 1}), texts);
  EXPECT_EQ(text.shape, Shape({2, 1}));
  EXPECT_THAT(strings.strings, ElementsAre("Grüße", ""));
  const auto [scalar, value] = round_trip(data_tensor("t", DType::kFloat32, {}), floats({}, {7}));
  EXPECT_EQ(scalar.shape, Shape());
  EXPECT_EQ(value.values<float>()[0], 7);
  const auto [empty, nothing] = round_trip(data_tensor("t", DType::kFloat32, {1, 0, 3}), floats({1, 0, 3}, {}));
  EXPECT_EQ(empty.shape, Shape({1, 0, 3}));
  EXPECT_TRUE(nothing.bytes.empty());
  const auto [no_text, no_strings] = round_trip(data_tensor("t", DType::kString, {0}), make_array(DType::kString, {0}));
  EXPECT_EQ(no_text.shape, Shape({0}));
  EXPECT_THAT(no_strings.strings, IsEmpty());
}

TEST_F(Dump, KeepsAScalePerChannelOfAnyNumber) {
  constexpr std::int64_t kChannels = 40000;  // more than an old object header holds
  TensorInfo info = quantized_tensor(std::string(70000, 'n'), DType::kInt8, {1, kChannels}, 1, 0);
  info.quantization.scale.assign(kChannels, 0.25F);
  info.quantization.zero_point.assign(kChannels, 3);
  info.quantization.axis = 1;
  const auto [tensor, back] = round_trip(info, make_array(DType::kInt8, {1, kChannels}));
  EXPECT_EQ(tensor.scale, info.quantization.scale);
  EXPECT_EQ(tensor.zero_point, info.quantization.zero_point);
  EXPECT_EQ(tensor.quantized_dimension, 1);
  EXPECT_EQ(tensor.name, info.name);
  EXPECT_EQ(back.shape, Shape({1, kChannels}));
}

TEST_F(Dump, LeavesOutWhatHasNoElements) {
  auto writer = DumpWriter::create(path_, "m", Mode::kInteger).value();
  ASSERT_TRUE(writer->begin_record(0).ok());
  EXPECT_TRUE(writer->add(map_of(0, data_tensor("r", DType::kResource, {}), Array{DType::kResource, {}, {}, {}})).ok());
  ASSERT_TRUE(writer->commit().ok());
  EXPECT_THAT(open_dump(path_).value()->tensors(0).value(), IsEmpty());
}

TEST_F(Dump, RefusesToWriteWhatCouldNotBeReadBack) {
  const Limits before = limits();
  Limits small = before;
  small.input = 16;
  set_limits(small);
  auto writer = DumpWriter::create(path_, "m", Mode::kFp32).value();
  ASSERT_TRUE(writer->begin_record(7).ok());
  EXPECT_TRUE(writer->add(map_of(0, data_tensor("t", DType::kFloat32, {4}), make_array(DType::kFloat32, {4}))).ok());
  const Status added = writer->add(map_of(1, data_tensor("u", DType::kFloat32, {5}), make_array(DType::kFloat32, {5})));
  set_limits(before);
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, EndsWith("record 7, tensor 1: shape [5] of float32 exceeds the limit of 1K; --max-input allows more"));
}

TEST_F(Dump, EqualMapsMakeEqualFiles) {
  const TensorInfo info = data_tensor("t", DType::kFloat32, {2});
  const auto bytes = [&] {
    round_trip(info, floats({2}, {1, 2}));
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = bytes();
  sleep(1);  // a time stamp would differ now
  EXPECT_TRUE(first == bytes());
}

TEST_F(Dump, WithoutCommitNothingStays) {
  testing::write_bytes(path_, "an older file");
  {
    auto writer = DumpWriter::create(path_, "m", Mode::kFp32).value();
    ASSERT_TRUE(writer->begin_record(0).ok());
  }
  EXPECT_THAT(folder_.names(), ElementsAre("maps.h5"));
  EXPECT_EQ(open_error(), "maps.h5: is neither an .npz nor an HDF5 file");
}

TEST_F(Dump, TellsWhereItCannotWrite) {
  EXPECT_EQ(DumpWriter::create("/no/such/folder/f.h5", "m", Mode::kFp32).error().message,
            "/no/such/folder/f.h5: cannot be written: No such file or directory");
  EXPECT_EQ(DumpWriter::create("/dev/null", "m", Mode::kFp32).error().message, "/dev/null: cannot be written: is not a file");
  EXPECT_EQ(DumpWriter::create(folder_.file(""), "m", Mode::kFp32).error().message,
            folder_.file("") + ": cannot be written: is not a file");
  auto writer = DumpWriter::create(path_, "m", Mode::kFp32).value();
  ASSERT_TRUE(writer->begin_record(3).ok());
  EXPECT_EQ(shown(writer->begin_record(3).error().message), "maps.h5: cannot be written: name already exists");
  EXPECT_TRUE(writer->begin_record(4).ok());
  const TensorInfo info = data_tensor("t", DType::kFloat32, {1});
  ASSERT_TRUE(writer->add(map_of(1, info, floats({1}, {1}))).ok());
  EXPECT_EQ(shown(writer->add(map_of(1, info, floats({1}, {1}))).error().message),
            "maps.h5: record 4, tensor 1: cannot be written: name already exists");
}

/// A file system of a few pages, mounted for the test.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    mounted_ = ::mkdir(path_.c_str(), 0777) == 0 && ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

/// The first error of writing maps of `elements` floats until the disk is full, or of committing `records` of them.
std::string fill(const std::string& path, std::int64_t elements, int records) {
  auto writer = DumpWriter::create(path, "m.tflite", Mode::kFp32);
  if (!writer.ok()) return writer.error().message;
  const TensorInfo info = data_tensor("t", DType::kFloat32, {elements});
  const Array array = make_array(DType::kFloat32, {elements});
  for (int record = 0; record < records; ++record) {
    if (const auto status = (*writer)->begin_record(record); !status.ok()) return status.error().message;
    if (const auto status = (*writer)->add(map_of(0, info, array)); !status.ok()) return status.error().message;
  }
  const auto status = (*writer)->commit();
  return status.ok() ? "no error" : status.error().message;
}

TEST_F(Dump, AFullDiskIsAnErrorAndLeavesNothing) {
  const SmallDisk disk(folder_.file("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "a file system can only be mounted by root";
  const std::string path = folder_.file("disk/maps.h5");
  EXPECT_EQ(fill(path, 100000, 1), path + ": record 0, tensor 0: cannot be written: No space left on device");
  const std::string many = fill(path, 10, 100000);
  EXPECT_THAT(many, ::testing::MatchesRegex(".*/maps.h5: (record [0-9]+, tensor 0: )?cannot be written: No space left on device"));
  const std::string closing = fill(path, 10, 150);  // fits into the library's caches, not on the disk
  EXPECT_EQ(closing, path + ": cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("disk/maps.h5").substr(0, path.size() - 8)));
  EXPECT_EQ(fill(path, 10, 1), "no error");  // the library still works
}

TEST_F(Dump, ReadsWhatADevicesToolWrites) {
  Hdf5File(path_)
      .dataset("value/0/3", array_of<std::int8_t>(DType::kInt8, {2}, {1, 2}))
      .integer_attribute("value/0/3", "scale", 2)
      .dataset("value/1/3", floats({2}, {1, 2}), testing::Storage::kBigEndian);
  const auto reader = open_dump(path_).value();
  EXPECT_EQ(reader->model(), "");
  EXPECT_FALSE(reader->mode());
  const auto tensor = reader->tensors(0).value()[0];
  EXPECT_EQ(tensor.name, "");
  EXPECT_THAT(tensor.scale, ElementsAre(2));
  EXPECT_THAT(tensor.zero_point, ElementsAre(0));
  EXPECT_EQ(reader->read(1, tensor)->bytes, floats({2}, {1, 2}).bytes);
}

TEST_F(Dump, TellsBrokenDumps) {
  EXPECT_EQ(open_error(), "maps.h5: cannot be opened: No such file or directory");
  EXPECT_EQ(open_dump("/dev/null").error().message, "/dev/null: is neither a file nor a folder");
  Hdf5File(path_).group("values");
  EXPECT_EQ(open_error(), "maps.h5: there is no group /value");
  Hdf5File(path_).group("value");
  EXPECT_EQ(open_error(), "maps.h5: there are no records");
  Hdf5File(path_).group("value/x");
  EXPECT_EQ(open_error(), "maps.h5: /value: 'x' is not a number");
  Hdf5File(path_).group("value/0").text_attribute("/", "mode", "float", true);
  EXPECT_EQ(open_error(), "maps.h5: attribute mode is 'float', expected fp32, fake-quant or integer");
  Hdf5File(path_).group("value/0").integer_attribute("/", "model", 3);
  EXPECT_EQ(open_error(), "maps.h5: attribute model is not one string");
}

TEST_F(Dump, TellsBrokenTensors) {
  const auto error = [&] {
    const auto reader = open_dump(path_).value();
    const auto tensors = reader->tensors(0);
    return shown(tensors.ok() ? reader->read(0, tensors->at(0)).error().message : tensors.error().message);
  };
  Hdf5File(path_).dataset("value/0", floats({2}, {}));
  EXPECT_EQ(error(), "maps.h5: record 0: is not a group");
  Hdf5File(path_).dataset("value/0/conv", floats({2}, {}));
  EXPECT_EQ(error(), "maps.h5: record 0: 'conv' is not a number");
  Hdf5File(path_).dataset("value/0/2147483648", floats({2}, {}));
  EXPECT_EQ(error(), "maps.h5: record 0: '2147483648' is not a number");
  Hdf5File(path_).group("value/0/1");
  EXPECT_EQ(error(), "maps.h5: record 0, tensor 1: is not a dataset");
  Hdf5File(path_).other_enum("value/0/1");
  EXPECT_EQ(error(), "maps.h5: record 0, tensor 1: its HDF5 type is none of integer, float, bool, complex and string");
  Hdf5File(path_).dataset("value/0/1", floats({2}, {})).text_attribute("value/0/1", "scale", "1", true);
  EXPECT_EQ(error(), "maps.h5: record 0, tensor 1: attribute scale does not hold numbers");
  Hdf5File(path_)
      .dataset("value/0/1", floats({2}, {}))
      .integer_attribute("value/0/1", "scale", 1)
      .integer_attribute("value/0/1", "quantized_dimension", 1);
  EXPECT_EQ(error(), "maps.h5: record 0, tensor 1: 1 scales along axis 1 do not fit shape [2]");
  Hdf5File(path_).declare("value/0/1", {1, std::int64_t{1} << 40}, 1024);
  EXPECT_EQ(error(),
            "maps.h5: record 0, tensor 1: shape [1, 1099511627776] of float32 exceeds the limit of 1024M; --max-input allows more");
}

TEST_F(Dump, ReadsFoldersOfNpy) {
  for (const int record : {2, 10}) {
    testing::write_bytes(folder_.file(fmt::format("d/{}/12.npy", record)),
                         testing::npy("<f4", floats({1, 2}, {static_cast<float>(record), 1})));
    testing::write_bytes(folder_.file(fmt::format("d/{}/3.npy", record)), testing::npy("|i1", make_array(DType::kInt8, {4})));
    testing::write_bytes(folder_.file(fmt::format("d/{}/conv_1.npy", record)), testing::npy("<f4", floats({1}, {9})));
  }
  const auto reader = open_dump(folder_.file("d")).value();
  EXPECT_THAT(reader->records(), ElementsAre(2, 10));
  const auto tensors = reader->tensors(10).value();
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].index, -1);
  EXPECT_EQ(tensors[0].name, "conv_1");
  EXPECT_EQ(tensors[1].index, 3);
  EXPECT_EQ(tensors[1].dtype, DType::kInt8);
  EXPECT_EQ(tensors[2].index, 12);
  EXPECT_EQ(tensors[2].shape, Shape({1, 2}));
  EXPECT_EQ(reader->read(10, tensors[2]).value().values<float>()[0], 10);
  EXPECT_EQ(reader->read(10, tensors[0]).value().values<float>()[0], 9);
}

TEST_F(Dump, AFolderTellsNamesOrderAndLayouts) {
  const std::string dump = folder_.file("maps");
  for (const char* name : {"a_b", "z", "plain"}) {
    std::filesystem::create_directories(dump + "/0");
    testing::write_bytes(dump + "/0/" + name + ".npy", testing::npy("<f4", floats({1}, {1})));
  }
  const auto table = [&](const std::string& text) { std::ofstream(dump + "/maps.tsv") << text; };
  table("name\tlayout\nz\t\na/b\tnchw\nabsent\tnhwc\n");
  const auto reader = open_dump(dump);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const auto tensors = (*reader)->tensors(0).value();
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].name, "z");
  EXPECT_EQ(tensors[1].name, "a/b");
  EXPECT_EQ(tensors[2].name, "plain");
  EXPECT_TRUE((*reader)->read(0, tensors[1]).ok());
  EXPECT_EQ(channel_orders(dump).value(), (ChannelOrders{{"a/b", ChannelOrder::kFirst}, {"absent", ChannelOrder::kLast}}));
  table("name\tlayout\nz\tsideways\n");
  EXPECT_EQ(open_dump(dump).error().message, dump + "/maps.tsv: line 2: layout 'sideways' is none of nchw, nhwc and nothing");
  table("name\tlayout\nz\n");
  EXPECT_EQ(open_dump(dump).error().message, dump + "/maps.tsv: line 2: no tab between name and layout");
  table("name\tlayout\na/b\t\na:b\t\n");
  EXPECT_EQ(open_dump(dump).error().message, dump + "/maps.tsv: line 3: 'a:b' is the file of line 2 too");
}

}  // namespace
}  // namespace visq
