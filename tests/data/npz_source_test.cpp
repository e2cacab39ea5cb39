// Records in .npz files: which array is which input's, stored and deflated, damaged and hostile.
#include "data/data_fixture.h"
#include "support/runs/zip_files.h"
#include "visq/limits.h"

namespace visq {
namespace {

using testing::array_of;
using testing::data_model;
using testing::data_tensor;
using ::testing::ElementsAre;
using testing::floats;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::npy;
using testing::write_bytes;
using testing::zip;

const Model kOne = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {1, 2})});
/// What to do, behind messages about it.
const std::string kNpzAdvice = "; give each input its own, as -d serving_default_x:0=PATH,ids=PATH";
const Model kTwo =
    data_model("m.tflite", {data_tensor("serving_default_x:0", DType::kFloat32, {1, 2}), data_tensor("ids", DType::kInt32, {1})});

std::string ids(const std::vector<std::int32_t>& values) {
  return npy("<i4", array_of(DType::kInt32, {static_cast<std::int64_t>(values.size()), 1}, values));
}

class NpzSource : public testing::DataTest {
 protected:
  const std::string file_ = folder_.file("a.npz");
  const std::string x_ = npy("<f4", floats({3, 1, 2}, {1, 2, 3, 4, 5, 6}));
};

TEST_F(NpzSource, ReadsStoredAndDeflatedArraysInAnyOrderOfRecords) {
  for (const bool deflated : {false, true}) {
    write_bytes(file_, zip({{"ids.npy", ids({7, 8, 9})}, {"x.npy", x_}}, deflated));
    const auto source = open_data(file_, kTwo);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ((*source)->count(), 3);
    for (const std::int64_t index : {2, 0, 1, 1}) {
      const auto record = (*source)->read(index);
      ASSERT_TRUE(record.ok()) << record.error().message;
      EXPECT_THAT(values(record->inputs[0]), ElementsAre(2 * index + 1, 2 * index + 2));
      EXPECT_EQ(record->inputs[1].values<std::int32_t>()[0], 7 + index);
      EXPECT_THAT(record->remarks, IsEmpty());
    }
    EXPECT_EQ(shown((*source)->read(3).error().message), "a.npz: record 3: there are 3 records");
  }
}

TEST_F(NpzSource, LargeArraysAreReadPieceByPiece) {
  constexpr std::int64_t kRecords = 40'000;  // more than any buffer on the way
  std::vector<float> all(2 * kRecords);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i * 7 % 1000);
  write_bytes(file_, zip({{"x.npy", npy("<f4", floats({kRecords, 2}, all))}}, true));
  const auto source = open_data(file_, kOne);
  ASSERT_TRUE(source.ok()) << source.error().message;
  for (const std::int64_t index : {39'999, 5, 20'000, 20'001, 0}) {
    EXPECT_EQ((*source)->read(index)->inputs[0].values<float>()[1], all[static_cast<std::size_t>(2 * index + 1)]) << index;
  }
}

TEST_F(NpzSource, TakesTheOnlyArrayThatFitsAndSaysSo) {
  write_bytes(file_, zip({{"images.npy", x_}, {"labels.npy", ids({1, 2, 3})}, {"note.txt", "hello"}}, true));
  const Record record = read(file_, kOne);
  EXPECT_THAT(values(record.inputs[0]), ElementsAre(1, 2));
  ASSERT_EQ(record.remarks.size(), 1U);
  EXPECT_EQ(shown(record.remarks[0]), "a.npz: 'images' is taken: of 2 arrays the only one that fits input 0 'x'");
  EXPECT_THAT(load_labels(file_ + ":labels").value(), ElementsAre(1, 2, 3));
}

TEST_F(NpzSource, AsksWhichOfSeveral) {
  write_bytes(file_, zip({{"x_train.npy", x_}, {"x_test.npy", npy("<f4", floats({1, 2}, {8, 9}))}}, true));
  EXPECT_EQ(error(file_, kOne),
            "a.npz: several of its arrays fit input 0 'x' ([1, 2]), and none has its name: 'x_train' [3, 1, 2], 'x_test' [1, 2]; name one, "
            "as in a.npz:x_train");
  EXPECT_THAT(values(read(file_ + ":x_test", kOne).inputs[0]), ElementsAre(8, 9));
  EXPECT_EQ(error(file_ + ":y", kOne), "a.npz: there is no array 'y', only 'x_train', 'x_test'");
  EXPECT_EQ(error(file_ + ":x_test", kTwo), "a.npz: 'x_test': holds arrays of one input, m.tflite has 2" + kNpzAdvice);
}

TEST_F(NpzSource, TakesNamelessArraysInTheirOrder) {
  write_bytes(file_, zip({{"arr_0.npy", x_}, {"arr_1.npy", ids({7, 8, 9})}}, false));
  const Record record = read(file_, kTwo);
  EXPECT_EQ(record.inputs[1].values<std::int32_t>()[0], 7);
  ASSERT_EQ(record.remarks.size(), 1U);
  EXPECT_THAT(record.remarks[0], HasSubstr("no array bears an input's name, so they are taken in their order: 'arr_0', 'arr_1' for "));
  write_bytes(file_, zip({{"x.npy", x_}, {"other.npy", ids({7, 8, 9})}}, false));
  EXPECT_EQ(error(file_, kTwo),
            "a.npz: arrays and inputs do not match: arrays 'x', 'other'; inputs 'serving_default_x:0', 'ids'" + kNpzAdvice);
}

TEST_F(NpzSource, TellsABatchAxisThatIsMissing) {
  write_bytes(file_, zip({{"x.npy", npy("<f4", floats({2}, {1, 2}))}}, false));
  EXPECT_EQ(error(file_, kOne),
            "a.npz: 'x': shape [2] is that of one record of input 0 'x', and the first axis must count the records: save x[None]");
  write_bytes(file_, zip({{"x.npy", x_}, {"ids.npy", ids({7})}}, false));
  EXPECT_EQ(error(file_, kTwo), "a.npz: input 0 'serving_default_x:0' has 3 records, input 1 'ids' has 1");
}

TEST_F(NpzSource, TellsWhatIsDamaged) {
  const std::string whole = zip({{"x.npy", x_}}, true);
  for (std::size_t size = 4; size < whole.size(); ++size) {
    write_bytes(file_, whole.substr(0, size));
    EXPECT_EQ(error(file_, kOne), "a.npz: has no directory of its entries: the file is cut off or no zip file");
  }
  std::string changed = zip({{"x.npy", x_}}, false);
  changed[changed.find("PK\x01\x02") - 2] ^= 1;  // in the last element
  write_bytes(file_, changed);
  EXPECT_EQ(error(file_, kOne, {}, 2), "a.npz: 'x': cannot be read: it is damaged");
  write_bytes(file_, zip({{"readme.txt", "nothing"}}, true));
  EXPECT_EQ(error(file_, kOne), "a.npz: holds no arrays (entries that end in .npy); numpy.savez writes such files");
  write_bytes(file_, zip({{"x.npy", x_}, {"x.npy", x_}}, true));
  EXPECT_EQ(error(file_, kOne), "a.npz: two arrays are called 'x'");
}

TEST_F(NpzSource, RefusesBombsBeforeItInflatesThem) {
  std::string bomb = zip({{"x.npy", std::string(100'000, '\0')}}, true);
  const auto directory = bomb.find("PK\x01\x02");
  for (const std::size_t size : {std::size_t{22}, directory + 24}) bomb.replace(size, 4, std::string("\xFF\xFF\xFF\x7F", 4));
  write_bytes(file_, bomb);
  EXPECT_THAT(error(file_, kOne), HasSubstr("a.npz: entry 'x.npy': "));
  EXPECT_THAT(error(file_, kOne), HasSubstr("of which 2147483647 are to become: the file is damaged"));
  // What is as large as it says is not inflated beyond the record that is asked for; one record that is too large is not at all.
  const Model any = data_model("m.tflite", {data_tensor("x", DType::kUInt8, {1, std::int64_t{2} << 20})});
  const Limits before = limits();
  Limits small = before;
  small.input = 1 << 20;
  set_limits(small);
  write_bytes(file_, zip({{"x.npy", npy("|u1", make_array(DType::kUInt8, {1, std::int64_t{2} << 20}))}}, true));
  EXPECT_EQ(error(file_, any),
            "a.npz: record 0, input 0 'x': shape [1, 2097152] of uint8 exceeds the limit of 1024K; --max-input allows more");
  set_limits(before);
}

TEST_F(NpzSource, NamesOfEntriesOpenNothing) {
  write_bytes(file_, zip({{"../../etc/passwd.npy", x_}, {"/x\x1b[2J.npy", x_}}, false));
  EXPECT_THAT(error(file_, kOne), HasSubstr("'../../etc/passwd' [3, 1, 2]"));
  EXPECT_EQ(error(file_, kOne).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace visq
