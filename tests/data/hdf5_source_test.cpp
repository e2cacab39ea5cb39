#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
using testing::Hdf5File;
using testing::Storage;

/// The elements of an array as T.
template <class T>
std::vector<T> elements(const Array& array) {
  return {array.values<T>().begin(), array.values<T>().end()};
}

class Hdf5Source : public ::testing::Test {
 protected:
  /// Reads record `index` of the file; a message instead where that fails, with the folder's name taken out.
  std::string error(const Model& model, std::int64_t index = 0) const {
    const auto source = open_data(path_, model);
    if (!source.ok()) return shown(source.error().message);
    const auto record = (*source)->read(index);
    return record.ok() ? "no error" : shown(record.error().message);
  }
  std::string shown(std::string message) const {
    const auto at = message.find(path_);
    return at == std::string::npos ? message : message.replace(at, path_.size(), "data.h5");
  }
  Record read(const Model& model, std::int64_t index = 0) const {
    const auto source = open_data(path_, model);
    EXPECT_TRUE(source.ok()) << source.error().message;
    auto record = (*source)->read(index);
    EXPECT_TRUE(record.ok()) << record.error().message;
    return std::move(record).value();
  }

  DataFolder folder_;
  const std::string path_ = folder_.file("data.h5");
  const Model one_ = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 3})});
  const Model two_ =
      data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 3}), data_tensor("state", DType::kFloat32, {1, 2, 4, 2})});
};

TEST_F(Hdf5Source, ReadsInputsInTheirOrder) {
  Hdf5File(path_)
      .dataset("value/0/0", floats({1, 3}, {1, 2, 3}))
      .dataset("value/0/1", floats({1, 2, 4, 2}, {7}))
      .text_attribute("value", "desc", "two inputs", true);
  const Record record = read(two_);
  EXPECT_EQ(record.index, 0);
  ASSERT_EQ(record.inputs.size(), 2U);
  EXPECT_THAT(elements<float>(record.inputs[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ(record.inputs[1].shape, Shape({1, 2, 4, 2}));
  EXPECT_EQ(record.inputs[1].values<float>()[0], 7);
  EXPECT_TRUE(record.remarks.empty());
}

TEST_F(Hdf5Source, SortsRecordsAsNumbers) {
  {
    Hdf5File file(path_);
    for (int i = 11; i >= 0; --i) file.dataset("value/" + std::to_string(i) + "/0", floats({1, 3}, {static_cast<float>(i)}));
  }
  const auto source = open_data(path_, one_);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->count(), 12);
  EXPECT_EQ((*source)->description(), path_);
  for (const int i : {2, 10, 9}) EXPECT_EQ((*source)->read(i)->inputs[0].values<float>()[0], static_cast<float>(i));
  EXPECT_EQ(shown((*source)->read(12).error().message), "data.h5: record 12: there are 12 records");
  EXPECT_EQ(shown((*source)->read(-1).error().message), "data.h5: record -1: there are 12 records");
}

TEST_F(Hdf5Source, ReadsEveryTypeInEitherByteOrderAndCompressed) {
  const Array arrays[] = {
      floats({1, 3}, {1.5F, -2, 3}),
      array_of<double>(DType::kFloat64, {1, 3}, {1.5, -2, 1e30}),
      array_of<std::uint16_t>(DType::kFloat16, {1, 3}, {0x3E00, 0xC000, 0x0001}),
      array_of<std::int8_t>(DType::kInt8, {1, 3}, {-128, 0, 127}),
      array_of<std::int16_t>(DType::kInt16, {1, 3}, {-32768, 1, 32767}),
      array_of<std::int32_t>(DType::kInt32, {1, 3}, {-70000, 1, 70000}),
      array_of<std::int64_t>(DType::kInt64, {1, 3}, {-(std::int64_t{1} << 40), 1, 2}),
      array_of<std::uint8_t>(DType::kUInt8, {1, 3}, {0, 1, 255}),
      array_of<std::uint16_t>(DType::kUInt16, {1, 3}, {0, 1, 65535}),
      array_of<std::uint32_t>(DType::kUInt32, {1, 3}, {0, 1, 4000000000U}),
      array_of<std::uint64_t>(DType::kUInt64, {1, 3}, {0, 1, std::numeric_limits<std::uint64_t>::max()}),
  };
  for (const Array& array : arrays) {
    for (const Storage storage : {Storage::kPlain, Storage::kBigEndian, Storage::kCompressed}) {
      Hdf5File(path_).dataset("value/0/0", array, storage);
      const Record record = read(one_);
      EXPECT_EQ(record.inputs[0].dtype, array.dtype);
      EXPECT_EQ(record.inputs[0].bytes, array.bytes) << name(array.dtype);
    }
  }
}

TEST_F(Hdf5Source, ReadsNumpysBoolAsZeroAndOne) {
  Hdf5File(path_).dataset("value/0/0", array_of<std::int8_t>(DType::kBool, {1, 3}, {0, 1, 17}));
  const Record record = read(data_model("m.tflite", {data_tensor("mask", DType::kBool, {1, 3})}));
  EXPECT_EQ(record.inputs[0].dtype, DType::kBool);
  EXPECT_THAT(elements<std::uint8_t>(record.inputs[0]), ElementsAre(0, 1, 1));
}

TEST_F(Hdf5Source, ReadsStringsForStringInputsOnly) {
  const Model model = data_model("m.tflite", {data_tensor("text", DType::kString, {2})});
  Array texts = make_array(DType::kString, {2});
  texts.strings = {"Grüße", ""};
  Hdf5File(path_).dataset("value/0/0", texts).fixed_strings("value/1/0", {"eight ch", "ab"}).dataset("value/2/0", floats({2}, {}));
  EXPECT_THAT(read(model, 0).inputs[0].strings, ElementsAre("Grüße", ""));
  EXPECT_THAT(read(model, 1).inputs[0].strings, ElementsAre("eight ch", "ab"));
  EXPECT_EQ(error(model, 2), "data.h5: record 2, input 0 'text': type float32, expected string");
  EXPECT_EQ(error(one_, 0), "data.h5: record 0, input 0 'x': type string, expected float32");
}

TEST_F(Hdf5Source, AcceptsAMissingOrAnAdditionalBatchAxis) {
  Hdf5File(path_).dataset("value/0/0", floats({3}, {1, 2, 3})).dataset("value/1/0", floats({1, 1, 3}, {4, 5, 6}));
  EXPECT_EQ(read(one_, 0).inputs[0].shape, Shape({1, 3}));
  EXPECT_EQ(read(one_, 1).inputs[0].shape, Shape({1, 3}));
  const Model scalar = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {})});
  Hdf5File(path_).dataset("value/0/0", floats({1}, {5}));
  EXPECT_EQ(read(scalar).inputs[0].shape, Shape());
}

TEST_F(Hdf5Source, TellsAWrongShape) {
  Hdf5File(path_)
      .dataset("value/0/0", floats({1, 3}, {}))
      .dataset("value/0/1", floats({1, 2, 4}, {}))
      .dataset("value/1/0", floats({1, 2}, {}))
      .dataset("value/1/1", floats({1, 2, 4, 2}, {}));
  EXPECT_EQ(error(two_, 0), "data.h5: record 0, input 1 'state': shape [1, 2, 4], expected [1, 2, 4, 2]");
  EXPECT_EQ(error(two_, 1), "data.h5: record 1, input 0 'x': shape [1, 2], expected [1, 3]");
}

TEST_F(Hdf5Source, AcceptsAnySizeWhereTheSignatureIsDynamic) {
  Model model = one_;
  TensorInfo& tensor = model.subgraphs[0].tensors[0];
  tensor.shape = {1, 1, 3};
  tensor.shape_signature = {1, -1, 3};
  Hdf5File(path_)
      .dataset("value/0/0", floats({1, 7, 3}, {}))
      .dataset("value/1/0", floats({1, 7, 4}, {}))
      .dataset("value/2/0", floats({1, 0, 3}, {}));
  EXPECT_EQ(read(model, 0).inputs[0].shape, Shape({1, 7, 3}));
  EXPECT_EQ(error(model, 1), "data.h5: record 1, input 0 'x': shape [1, 7, 4], expected [1, -1, 3]");
  EXPECT_EQ(read(model, 2).inputs[0].bytes.size(), 0U);
  tensor.has_rank = false;
  EXPECT_EQ(read(model, 1).inputs[0].shape, Shape({1, 7, 4}));
}

TEST_F(Hdf5Source, AllocatesNothingForDataThatCannotFit) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  Model dynamic = one_;
  dynamic.subgraphs[0].tensors[0].shape_signature = {1, -1};
  Hdf5File(path_).declare("value/0/0", {1, kHuge}, 1024).declare("value/1/0", {1, 3}, std::int64_t{1} << 29);
  EXPECT_EQ(error(one_), "data.h5: record 0, input 0 'x': shape [1, 1099511627776], expected [1, 3]");
  EXPECT_EQ(error(dynamic),
            "data.h5: record 0, input 0 'x': shape [1, 1099511627776] of float32 exceeds the limit of 1024M; --max-input allows more");
  EXPECT_EQ(error(one_, 1), "data.h5: record 1, input 0 'x': its chunks are far larger than the data");
}

TEST_F(Hdf5Source, TellsMissingAndUnknownInputs) {
  Hdf5File(path_)
      .dataset("value/0/0", floats({1, 3}, {}))
      .dataset("value/1/0", floats({1, 3}, {}))
      .group("value/1/1")
      .dataset("value/2", floats({1, 3}, {}))
      .dataset("value/3/0", floats({1, 3}, {}))
      .dataset("value/3/00", floats({1, 3}, {}))
      .other_enum("value/4/0");
  EXPECT_EQ(error(two_, 0), "data.h5: record 0, input 1 'state': missing");
  EXPECT_EQ(error(two_, 1), "data.h5: record 1, input 1 'state': is not a dataset");
  EXPECT_EQ(error(one_, 1), "data.h5: record 1: '1' is not an input of m.tflite, which has 1");
  EXPECT_EQ(error(one_, 2), "data.h5: record 2: is not a group");
  EXPECT_EQ(error(one_, 3), "data.h5: record 3: '00' is not an input of m.tflite, which has 1");
  EXPECT_EQ(error(one_, 4), "data.h5: record 4, input 0 'x': its HDF5 type is none of integer, float, bool, complex and string");
}

TEST_F(Hdf5Source, TellsGroupsThatAreNotNumberedFromZero) {
  Hdf5File(path_).group("values");
  EXPECT_EQ(error(one_), "data.h5: there is no group /value");
  Hdf5File(path_).dataset("value", floats({3}, {}));
  EXPECT_EQ(error(one_), "data.h5: there is no group /value");
  Hdf5File(path_).group("value");
  EXPECT_EQ(error(one_), "data.h5: there are no records");
  Hdf5File(path_).group("value/0").group("value/1").group("value/7");
  EXPECT_EQ(error(one_), "data.h5: record 2 is missing: there are 3 records up to 7");
  Hdf5File(path_).group("value/1").group("value/01").group("value/0");
  EXPECT_EQ(error(one_), "data.h5: '01' is not a record number (0, 1, 2, ...)");
  Hdf5File(path_).group("value/0").group("value/99999999999999999999");
  EXPECT_EQ(error(one_), "data.h5: '99999999999999999999' is not a record number (0, 1, 2, ...)");
  Hdf5File(path_).group("value/-1\n\x1b[31m");
  EXPECT_EQ(error(one_), "data.h5: '-1\\x0a\\x1b[31m' is not a record number (0, 1, 2, ...)");
}

TEST_F(Hdf5Source, TellsFilesThatAreNoHdf5) {
  EXPECT_EQ(error(one_), "data.h5: cannot be opened: No such file or directory");
  testing::write_bytes(path_, "<html>");
  EXPECT_EQ(error(one_), "data.h5: is neither a picture, a .npy, an .npz nor an HDF5 file; numpy.save(\"data.npy\", records) writes one");
  testing::write_bytes(path_, "");
  EXPECT_EQ(error(one_), "data.h5: is neither a picture, a .npy, an .npz nor an HDF5 file; numpy.save(\"data.npy\", records) writes one");
  testing::write_bytes(path_, "\x89HDF\r\n\x1a\n");
  EXPECT_THAT(error(one_), ::testing::StartsWith("data.h5: cannot be read: "));
  EXPECT_EQ(open_data("/dev/null", one_).error().message, "/dev/null: is neither a file nor a folder");
}

TEST_F(Hdf5Source, RemarksNonFiniteElements) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Hdf5File(path_)
      .dataset("value/0/0", floats({1, 3}, {1, kNan, -kInf}))
      .dataset("value/1/0", array_of<double>(DType::kFloat64, {1, 3}, {1, 2, 1e39}))  // finite as float64, not as float32
      .dataset("value/2/0", array_of<std::uint16_t>(DType::kFloat16, {1, 3}, {0x7C00, 0x7BFF, 0}));
  EXPECT_THAT(read(one_, 0).remarks, ElementsAre(path_ + ": record 0, input 0 'x': 2 non-finite elements, first at 1"));
  EXPECT_THAT(read(one_, 1).remarks, ElementsAre(path_ + ": record 1, input 0 'x': 1 non-finite element, at 2"));
  EXPECT_THAT(read(one_, 2).remarks, ElementsAre(path_ + ": record 2, input 0 'x': 1 non-finite element, at 0"));
}

TEST_F(Hdf5Source, TakesRawBytesAsTheyAre) {
  const Model model = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 3}), data_tensor("ids", DType::kInt32, {2})});
  const float values[] = {1.5F, -2, 0.25F};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof values);
  const Array ids = array_of<std::int32_t>(DType::kInt32, {2, 1}, {0x01020304, 5});
  const auto check = [&] {
    const Record record = read(model);
    EXPECT_EQ(record.inputs[0].dtype, DType::kFloat32);
    EXPECT_THAT(elements<float>(record.inputs[0]), ElementsAre(1.5F, -2, 0.25F));
    EXPECT_EQ(record.inputs[1].shape, Shape({2}));
    EXPECT_EQ(record.inputs[1].bytes, ids.bytes);
  };
  Hdf5File(path_).opaque("value/0/0", bytes).dataset("value/0/1", ids).text_attribute("value", "rawData", "1", true);
  check();
  Hdf5File(path_).opaque("value/0/0", bytes).dataset("value/0/1", ids).text_attribute("value", "rawData", "1", false);
  check();
  Hdf5File(path_).opaque("value/0/0", bytes).dataset("value/0/1", ids).integer_attribute("value", "rawData", 1);
  check();
  Hdf5File(path_).opaque("value/0/0", bytes).dataset("value/0/1", ids).integer_attribute("value", "rawData", 0);
  EXPECT_EQ(error(model), "data.h5: record 0, input 0 'x': its HDF5 type is none of integer, float, bool, complex and string");
}

TEST_F(Hdf5Source, TakesRawBytesInTheFilesByteOrder) {
  Hdf5File(path_).dataset("value/0/0", floats({1, 3}, {1, 0, 0}), Storage::kBigEndian).integer_attribute("value", "rawData", 1);
  const Record record = read(one_);
  EXPECT_THAT(elements<std::uint8_t>(record.inputs[0]), ElementsAre(0x3F, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_F(Hdf5Source, TellsWrongRawBytes) {
  Array texts = make_array(DType::kString, {1, 3});
  Hdf5File(path_)
      .dataset("value/0/0", floats({4}, {}))
      .dataset("value/1/0", texts)
      .declare("value/2/0", {1, std::int64_t{1} << 62}, 1024)
      .integer_attribute("value", "rawData", 1);
  EXPECT_EQ(error(one_, 0), "data.h5: record 0, input 0 'x': 16 raw bytes, expected 12");
  EXPECT_EQ(error(one_, 1), "data.h5: record 1, input 0 'x': has no raw bytes");
  EXPECT_EQ(error(one_, 2), "data.h5: record 2, input 0 'x': too many raw bytes, expected 12");
  const Model text = data_model("m.tflite", {data_tensor("x", DType::kString, {1, 3})});
  EXPECT_EQ(error(text, 0), "data.h5: record 0, input 0 'x': string cannot be given as raw bytes");
  Hdf5File(path_).dataset("value/0/0", floats({3}, {})).text_attribute("value", "rawData", "yes", true);
  EXPECT_EQ(error(one_), "data.h5: /value: attribute rawData is 'yes', expected 0 or 1");
}

}  // namespace
}  // namespace visq
