// FILE.h5:/DATASET: all records of an input in one dataset.
#include "data/data_fixture.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using ::testing::ElementsAre;
using testing::floats;
using ::testing::HasSubstr;
using testing::Hdf5File;
using testing::Storage;

const Model kOne = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 2})});

class Hdf5Dataset : public testing::DataTest {
 protected:
  const std::string file_ = folder_.file("a.h5");
};

TEST_F(Hdf5Dataset, IsReadRecordByRecord) {
  for (const Storage storage : {Storage::kPlain, Storage::kBigEndian, Storage::kCompressed}) {
    Hdf5File(file_).dataset("train/images", floats({3, 2}, {1, 2, 3, 4, 5, 6}), storage).dataset("labels", floats({3}, {0, 1, 0}));
    const auto source = open_data(file_ + ":/train/images", kOne);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ((*source)->count(), 3);
    for (const std::int64_t index : {2, 0, 1}) {
      EXPECT_THAT(values((*source)->read(index)->inputs[0]), ElementsAre(2 * index + 1, 2 * index + 2));
    }
    EXPECT_EQ(data_files(file_ + ":/train/images"), std::vector<std::string>{file_});
  }
  Hdf5File(file_).dataset("b", array_of<std::uint8_t>(DType::kBool, {2, 2}, {1, 0, 0, 1}));
  EXPECT_EQ(read(file_ + ":b", kOne, {}, 1).inputs[0].dtype, DType::kBool);
}

TEST_F(Hdf5Dataset, AFileWithoutValueIsToldWhatItHolds) {
  Hdf5File(file_).dataset("train/images", floats({3, 2}, {})).dataset("labels", floats({3}, {}));
  const std::string advice =
      "; it holds '/labels' [3], '/train/images' [3, 2]: give one whose first axis counts the records, as a.h5:/labels";
  EXPECT_EQ(error(file_, kOne), "a.h5: there is no group /value" + advice);
  EXPECT_EQ(error(file_ + ":/images", kOne), "a.h5: dataset '/images': missing" + advice);
}

TEST_F(Hdf5Dataset, ThatDoesNotFitIsRefused) {
  Hdf5File(file_).dataset("x", floats({3, 4}, {})).dataset("none", floats({0, 2}, {})).dataset("scalar", floats({}, {1}));
  EXPECT_EQ(error(file_ + ":x", kOne), "a.h5: dataset 'x': record 0, input 0 'x': shape [4], expected [1, 2]");
  EXPECT_EQ(error(file_ + ":none", kOne), "a.h5: dataset 'none': there are no records");
  EXPECT_EQ(error(file_ + ":scalar", kOne), "a.h5: dataset 'scalar': is a scalar; its first axis must count the records");
  EXPECT_EQ(error(folder_.file("b.h5") + ":x", kOne).substr(0, 7), "b.h5:x:");
}

}  // namespace
}  // namespace visq
