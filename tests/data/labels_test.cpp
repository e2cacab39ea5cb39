// Labels from every kind of file.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/runs/data_files.h"
#include "visq/data.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using visq::testing::array_of;
using visq::testing::DataFolder;
using visq::testing::Hdf5File;
using visq::testing::npy;
using visq::testing::write_bytes;

TEST(Labels, ComeFromEveryKindOfFile) {
  const DataFolder folder;
  const Array labels = array_of<std::int32_t>(DType::kInt32, {3}, {4, 0, -2});
  write_bytes(folder.file("l.npy"), npy("<i4", labels));
  write_bytes(folder.file("l.csv"), "label\r\n4\r\n0\n -2 \n");
  write_bytes(folder.file("row.csv"), "4,0,-2");
  Hdf5File(folder.file("one.h5")).dataset("labels", labels);
  Hdf5File(folder.file("two.h5")).dataset("other", labels).dataset("labels", labels);
  for (const char* name : {"l.npy", "l.csv", "row.csv", "one.h5", "one.h5:labels", "two.h5:labels"}) {
    const auto loaded = load_labels(folder.file(name));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_THAT(*loaded, ElementsAre(4, 0, -2)) << name;
  }
}

TEST(Labels, OneHotRowsAreUnderstood) {
  const DataFolder folder;
  const Array rows = visq::testing::floats({3, 4}, {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1});
  write_bytes(folder.file("hot.npy"), npy("<f4", rows));
  Hdf5File(folder.file("hot.h5")).dataset("labels", rows);
  write_bytes(folder.file("hot.csv"), "cat,cow,dog,hen\n0,0,1,0\n1,0,0,0\n0,0,0,1\n");
  for (const char* name : {"hot.npy", "hot.h5", "hot.csv"}) EXPECT_THAT(*load_labels(folder.file(name)), ElementsAre(2, 0, 3)) << name;
  write_bytes(folder.file("column.npy"), npy("<f4", visq::testing::floats({3, 1, 1}, {2, 0, 3})));
  EXPECT_THAT(*load_labels(folder.file("column.npy")), ElementsAre(2, 0, 3));
}

TEST(Labels, ShapesThatAreNoClassesAreRefused) {
  const DataFolder folder;
  const auto error = [&](const Shape& shape, const std::vector<float>& values) {
    write_bytes(folder.file("l.npy"), npy("<f4", visq::testing::floats(shape, values)));
    return load_labels(folder.file("l.npy")).error().message;
  };
  EXPECT_THAT(error({2, 3}, {0, 1, 0, 1, 1, 0}), HasSubstr("row 1 of 3 values is not a single 1 among zeros"));
  EXPECT_THAT(error({2, 3}, {0, 1, 0, 0, 0, 0}), HasSubstr("row 1 of 3 values"));
  EXPECT_THAT(error({2, 2}, {3, 1, 0, 1}), HasSubstr("row 0 of 2 values")) << "boxes, or classes and something else";
  EXPECT_THAT(error({1, 2, 2}, {0, 1, 0, 1}), HasSubstr("shape [1, 2, 2] holds no labels"));
  write_bytes(folder.file("uneven.csv"), "1,2\n3\n");
  EXPECT_THAT(load_labels(folder.file("uneven.csv")).error().message, HasSubstr("lines of 2 and of 1 numbers"));
}

TEST(Labels, BadFilesAreNamed) {
  const DataFolder folder;
  write_bytes(folder.file("words.csv"), "label\n1\ncat\n");
  EXPECT_EQ(load_labels(folder.file("words.csv")).error().message, folder.file("words.csv") + ": line 3: 'cat' is no whole number");
  write_bytes(folder.file("half.npy"), npy("<f4", visq::testing::floats({2}, {1, 0.5F})));
  EXPECT_EQ(load_labels(folder.file("half.npy")).error().message, folder.file("half.npy") + ": element 1 is 0.5, which int64 cannot hold");
  Hdf5File(folder.file("two.h5")).dataset("a", visq::testing::floats({1}, {1})).dataset("b", visq::testing::floats({1}, {1}));
  const std::string two = folder.file("two.h5");
  EXPECT_EQ(load_labels(two).error().message, two + ": holds 2 objects; name the dataset, as in " + two + ":labels");
  EXPECT_FALSE(load_labels(folder.file("missing.npy")).ok());
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(load_labels(folder.file("pipe")).error().message, folder.file("pipe") + ": is not a file");
  EXPECT_EQ(load_labels("/dev/zero").error().message, "/dev/zero: is not a file");
}

}  // namespace
}  // namespace visq
