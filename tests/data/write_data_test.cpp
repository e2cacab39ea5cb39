// Records written as HDF5 test data come back as they were.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "support/runs/memory_source.h"
#include "visq/data.h"

namespace visq {
namespace {

using visq::testing::array_of;
using visq::testing::data_model;
using visq::testing::data_tensor;
using visq::testing::DataFolder;
using visq::testing::floats;
using visq::testing::MemorySource;

TEST(WriteData, ReadsBackBitForBit) {
  const DataFolder folder;
  const Model model = data_model("m", {data_tensor("a", DType::kFloat32, {2, 3}), data_tensor("b", DType::kInt64, {2}),
                                       data_tensor("c", DType::kBool, {2}), data_tensor("d", DType::kString, {2})});
  Record first, second;
  first.index = 17;
  Array strings;
  strings.dtype = DType::kString;
  strings.shape = {2};
  strings.strings = {"one", "zwei"};
  first.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, -0.0F}), array_of<std::int64_t>(DType::kInt64, {2}, {-1, INT64_MAX}),
                  array_of<std::uint8_t>(DType::kBool, {2}, {1, 0}), strings};
  second = first;
  second.index = 40;
  second.inputs[0] = floats({2, 3}, {9, 8, 7, 6, 5, 4});
  const std::string path = folder.file("out.h5");
  ASSERT_TRUE(write_data(path, {first, second}).ok());
  ASSERT_TRUE(write_data(path, {first, second}).ok()) << "replaces what is there";
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out.h5"});
  const auto source = open_data(path, model);
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ((*source)->count(), 2);
  for (const Record* wanted : {&first, &second}) {
    const auto record = (*source)->read(wanted == &first ? 0 : 1);
    ASSERT_TRUE(record.ok()) << record.error().message;
    for (std::size_t i = 0; i < wanted->inputs.size(); ++i) {
      EXPECT_EQ(record->inputs[i].dtype, wanted->inputs[i].dtype);
      EXPECT_EQ(record->inputs[i].shape, wanted->inputs[i].shape);
      EXPECT_EQ(record->inputs[i].bytes, wanted->inputs[i].bytes) << i;
      EXPECT_EQ(record->inputs[i].strings, wanted->inputs[i].strings);
    }
  }
}

TEST(WriteData, LeavesNothingBehindWhereItFails) {
  const DataFolder folder;
  Record record;
  record.inputs = {Array{DType::kResource, {}, {}, {}}};
  const Status status = write_data(folder.file("out.h5"), {record});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, folder.file("out.h5") + ": record 0, input 0: resource of shape [] cannot be stored");
  EXPECT_TRUE(folder.names().empty());
  EXPECT_FALSE(write_data(folder.file("."), {}).ok());
}

TEST(SelectRecords, NumbersThemAnew) {
  auto source = select_records(std::make_unique<MemorySource>(std::vector{floats({1}, {5}), floats({1}, {6}), floats({1}, {7})}), {2, 0});
  EXPECT_EQ(source->count(), 2);
  EXPECT_EQ(source->description(), "memory (records 2, 0)");
  EXPECT_EQ(source->read(0)->inputs[0].values<float>()[0], 7);
  EXPECT_EQ(source->read(1)->index, 1);
  EXPECT_EQ(source->read(2).error().message, "memory (records 2, 0): there is no record 2");
}

}  // namespace
}  // namespace visq
