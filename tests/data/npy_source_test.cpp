#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using testing::DataFolder;
using ::testing::ElementsAre;
using testing::floats;
using testing::npy;
using testing::write_bytes;

/// What to do, behind messages about the model of two inputs.
const std::string kNpyAdvice = "; give each input its own, as -d serving/x:0=PATH,ids=PATH";

class NpySource : public ::testing::Test {
 protected:
  std::string error(const std::string& path, const Model& model, std::int64_t index = 0) const {
    const auto source = open_data(path, model);
    if (!source.ok()) return shown(source.error().message);
    const auto record = (*source)->read(index);
    return record.ok() ? "no error" : shown(record.error().message);
  }
  /// A message with the folder's name taken out.
  std::string shown(std::string message) const {
    const std::string prefix = folder_.file("");
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) message.erase(at, prefix.size());
    return message;
  }
  Array read(const std::string& path, const Model& model, std::int64_t index = 0, std::size_t input = 0) const {
    const auto source = open_data(path, model);
    EXPECT_TRUE(source.ok()) << source.error().message;
    auto record = (*source)->read(index);
    EXPECT_TRUE(record.ok()) << record.error().message;
    return record->inputs[input];
  }
  /// What reading a stacked file with this header and this many bytes behind it tells.
  std::string header_error(std::string_view dictionary, std::size_t bytes) const {
    write_bytes(file_, npy(dictionary, std::string(bytes, '\0')));
    return error(file_, one_);
  }

  DataFolder folder_;
  const std::string file_ = folder_.file("a.npy");
  const Model one_ = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 2})});
  const Model two_ = data_model("m.tflite", {data_tensor("serving/x:0", DType::kFloat32, {1, 2}), data_tensor("ids", DType::kInt32, {1})});
};

TEST_F(NpySource, ReadsAStackedFile) {
  write_bytes(file_, npy("<f4", floats({3, 1, 2}, {1, 2, 3, 4, 5, 6})));
  const auto source = open_data(file_, one_);
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->count(), 3);
  const Array array = read(file_, one_, 2);
  EXPECT_EQ(array.shape, Shape({1, 2}));
  EXPECT_EQ(array.values<float>()[0], 5);
  EXPECT_EQ(array.values<float>()[1], 6);
  EXPECT_EQ(shown((*source)->read(3).error().message), "a.npy: record 3: there are 3 records");
  write_bytes(file_, npy("<f4", floats({3, 2}, {1, 2, 3, 4, 5, 6})));  // without batch axis
  EXPECT_EQ(read(file_, one_, 1).values<float>()[0], 3);
}

TEST_F(NpySource, ReadsEveryType) {
  const std::pair<std::string, Array> cases[] = {
      {"<f2", array_of<std::uint16_t>(DType::kFloat16, {1, 2}, {0x3C00, 0x8001})},
      {"<f4", floats({1, 2}, {1, -2})},
      {"<f8", array_of<double>(DType::kFloat64, {1, 2}, {1e30, -2})},
      {"|i1", array_of<std::int8_t>(DType::kInt8, {1, 2}, {-128, 127})},
      {"<i2", array_of<std::int16_t>(DType::kInt16, {1, 2}, {-300, 1})},
      {"<i4", array_of<std::int32_t>(DType::kInt32, {1, 2}, {-70000, 1})},
      {"<i8", array_of<std::int64_t>(DType::kInt64, {1, 2}, {-5000000000, 1})},
      {"|u1", array_of<std::uint8_t>(DType::kUInt8, {1, 2}, {255, 1})},
      {"<u2", array_of<std::uint16_t>(DType::kUInt16, {1, 2}, {65535, 1})},
      {"<u4", array_of<std::uint32_t>(DType::kUInt32, {1, 2}, {4000000000U, 1})},
      {"<u8", array_of<std::uint64_t>(DType::kUInt64, {1, 2}, {~std::uint64_t{0}, 1})},
      {"|b1", array_of<std::uint8_t>(DType::kBool, {1, 2}, {1, 0})},
  };
  for (const auto& [code, array] : cases) {
    write_bytes(file_, npy(code, array));
    EXPECT_EQ(read(file_, one_).dtype, array.dtype) << code;
    EXPECT_EQ(read(file_, one_).bytes, array.bytes) << code;
  }
}

TEST_F(NpySource, SwapsBytesAndTakesAnyBoolByteForTrue) {
  write_bytes(file_, npy("{'descr': '>i4', 'fortran_order': False, 'shape': (1, 2), }", std::string("\0\0\1\2\xFF\xFF\xFF\xFE", 8)));
  const Array swapped = read(file_, one_);
  EXPECT_EQ(swapped.values<std::int32_t>()[0], 258);
  EXPECT_EQ(swapped.values<std::int32_t>()[1], -2);
  const Model complex = data_model("m.tflite", {data_tensor("x", DType::kComplex64, {1})});
  write_bytes(file_, npy("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", std::string("\x3F\x80\0\0\x40\0\0\0", 8)));
  EXPECT_EQ(read(file_, complex).values<float>()[0], 1);
  EXPECT_EQ(read(file_, complex).values<float>()[1], 2);
  write_bytes(file_, npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }", std::string("\0\x80", 2)));
  EXPECT_EQ(read(file_, one_).values<std::uint8_t>()[1], 1);
}

TEST_F(NpySource, ReadsAnyOrderAndSpacingOfTheHeader) {
  const std::string bytes(8, '\0');
  for (const std::string_view header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", "{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":False}",
        "{ 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , 'descr' : '=f4' }    "}) {
    write_bytes(file_, npy(header, bytes));
    EXPECT_EQ(read(file_, one_).shape, Shape({1, 2})) << header;
  }
  std::string version2 = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", bytes);
  version2[6] = 2;
  version2.insert(10, 2, '\0');  // its length field has four bytes
  write_bytes(file_, version2);
  EXPECT_EQ(read(file_, one_).shape, Shape({1, 2}));
  write_bytes(file_, npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", bytes));  // one axis has only one order
  EXPECT_EQ(read(file_, data_model("m.tflite", {data_tensor("x", DType::kFloat32, {})})).shape, Shape());
}

TEST_F(NpySource, TellsHostileHeaders) {
  const std::string no_dictionary = "a.npy: its .npy header is not a dictionary of descr, fortran_order and shape";
  for (const std::string_view header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)} x",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2}", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 2)}", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"}) {
    EXPECT_EQ(header_error(header, 8), no_dictionary) << header;
  }
  EXPECT_EQ(header_error("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2)}", 16),
            "a.npy: type '|O' cannot be read; save numbers, as x.astype(\"float32\")");
  EXPECT_EQ(header_error("{'descr': '', 'fortran_order': False, 'shape': (1, 2)}", 16),
            "a.npy: type '' cannot be read; save numbers, as x.astype(\"float32\")");
  EXPECT_EQ(header_error("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", 8),
            "a.npy: is in Fortran order; save numpy.ascontiguousarray of it");
}

TEST_F(NpySource, ChecksSizesAgainstTheFile) {
  EXPECT_EQ(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}", 7),
            "a.npy: 7 bytes of data, but [1, 2] of float32 need 8");
  EXPECT_EQ(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}", 9),
            "a.npy: 9 bytes of data, but [1, 2] of float32 need 8");
  EXPECT_EQ(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 8),
            "a.npy: 8 bytes of data, but [4611686018427387904, 4] of float32 need more than a file can have");
  write_bytes(file_, std::string("\x93NUMPY\x01\x00\xFF", 9));
  EXPECT_EQ(error(file_, one_), "a.npy: its .npy header is cut off or too long");
  write_bytes(file_, std::string("\x93NUMPY\x01\x00\xFF\x00{", 11));
  EXPECT_EQ(error(file_, one_), "a.npy: its .npy header is cut off or too long");
  write_bytes(file_, std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13));
  EXPECT_EQ(error(file_, one_), "a.npy: its .npy header is cut off or too long");
  write_bytes(file_, std::string("\x93NUMPY\x09\x00\x02\x00{}", 12));
  EXPECT_EQ(error(file_, one_), "a.npy: .npy version 9 is not known");
}

TEST_F(NpySource, TellsStackedFilesThatDoNotFit) {
  write_bytes(file_, npy("<f4", floats({3, 1, 4}, {})));
  EXPECT_EQ(error(file_, one_), "a.npy: record 0, input 0 'x': shape [1, 4], expected [1, 2]");
  EXPECT_EQ(error(file_, two_), "a.npy: holds arrays of one input, m.tflite has 2" + kNpyAdvice);
  write_bytes(file_, npy("<f4", floats({}, {1})));
  EXPECT_EQ(error(file_, one_), "a.npy: is a scalar; its first axis must count the records");
  write_bytes(file_, npy("<f4", floats({0, 2}, {})));
  EXPECT_EQ(error(file_, one_), "a.npy: there are no records");
  write_bytes(file_, npy("<c8", make_array(DType::kComplex64, {1, 2})));
  EXPECT_EQ(error(file_, one_), "a.npy: type complex64, expected float32");
}

TEST_F(NpySource, ReadsAFolderOfOneInput) {
  for (int i = 0; i < 12; ++i)
    write_bytes(folder_.file("d/" + std::to_string(i) + ".npy"), npy("<f4", floats({2}, {static_cast<float>(i), 1})));
  write_bytes(folder_.file("d/readme.txt"), "not data");
  const auto source = open_data(folder_.file("d"), one_);
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->count(), 12);
  EXPECT_EQ(read(folder_.file("d"), one_, 10).values<float>()[0], 10);
  EXPECT_EQ(shown((*source)->read(12).error().message), "d: record 12: there are 12 records");
  EXPECT_EQ(error(folder_.file("d"), two_), "d: holds arrays of one input, m.tflite has 2" + kNpyAdvice);
  write_bytes(folder_.file("d/3.npy"), npy("<f4", floats({3}, {})));
  EXPECT_EQ(error(folder_.file("d"), one_, 3), "d: record 3, input 0 'x': shape [3], expected [1, 2]");
  std::filesystem::remove(folder_.file("d/3.npy"));
  EXPECT_EQ(error(folder_.file("d"), one_), "d: record 3 is missing: there are 11 records up to 11");
}

class NpyFolders : public NpySource, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(NpyFolders, MatchInputsByNameThenByNumber) {
  const auto [x, ids] = GetParam();
  for (int i = 0; i < 2; ++i) {
    write_bytes(folder_.file(fmt::format("d/{}/{}.npy", x, i)), npy("<f4", floats({1, 2}, {5, 6})));
    write_bytes(folder_.file(fmt::format("d/{}/{}.npy", ids, i)), npy("<i4", array_of<std::int32_t>(DType::kInt32, {1}, {i})));
  }
  EXPECT_EQ(read(folder_.file("d"), two_, 1, 0).values<float>()[0], 5);
  EXPECT_EQ(read(folder_.file("d"), two_, 1, 1).values<std::int32_t>()[0], 1);
}
INSTANTIATE_TEST_SUITE_P(Names, NpyFolders,
                         ::testing::Values(std::pair("serving_x_0", "ids"), std::pair("0", "1"), std::pair("serving_x_0", "1"),
                                           std::pair("0", "ids")));

TEST_F(NpySource, ShowsBothListsWhereFoldersDoNotMatch) {
  write_bytes(folder_.file("d/a/0.npy"), npy("<f4", floats({2}, {})));
  write_bytes(folder_.file("d/ids/0.npy"), npy("<i4", make_array(DType::kInt32, {1})));
  EXPECT_EQ(error(folder_.file("d"), two_),
            "d: sub-folders and inputs do not match: sub-folders 'a', 'ids'; inputs 'serving/x:0', 'ids'" + kNpyAdvice);
  write_bytes(folder_.file("d/0/0.npy"), npy("<f4", floats({2}, {})));
  EXPECT_EQ(error(folder_.file("d"), two_),
            "d: sub-folders and inputs do not match: sub-folders '0', 'a', 'ids'; inputs 'serving/x:0', 'ids'" + kNpyAdvice);
  EXPECT_EQ(error(folder_.file("empty/x"), one_).substr(0, 10), "empty/x: c");
}

TEST_F(NpySource, TellsInputsWithDifferentNumbersOfRecords) {
  write_bytes(folder_.file("d/0/0.npy"), npy("<f4", floats({2}, {})));
  write_bytes(folder_.file("d/0/1.npy"), npy("<f4", floats({2}, {})));
  write_bytes(folder_.file("d/1/0.npy"), npy("<i4", make_array(DType::kInt32, {1})));
  EXPECT_EQ(error(folder_.file("d"), two_), "d: input 0 'serving/x:0' has 2 records, input 1 'ids' has 1");
}

TEST_F(NpySource, RemarksNonFiniteElements) {
  write_bytes(file_, npy("<f4", floats({1, 2}, {0, INFINITY})));
  const auto source = open_data(file_, one_);
  EXPECT_THAT((*source)->read(0)->remarks, ElementsAre(file_ + ": record 0, input 0 'x': 1 non-finite element, at 1"));
}

}  // namespace
}  // namespace visq
