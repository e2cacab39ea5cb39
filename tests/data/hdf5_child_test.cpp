// HDF5 files in a child process: what it may answer, what is left of it, and who may read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "data/hdf5/hdf5_child.h"
#include "data/hdf5/wire_array.h"
#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/data.h"
#include "visq/dump.h"

namespace visq {
namespace {

using data::Hdf5Child;
using testing::data_model;
using testing::data_tensor;
using testing::DataFolder;
using testing::floats;
using testing::Hdf5File;

class Hdf5ChildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Hdf5File file(path_);
    for (int i = 0; i < kRecords; ++i) file.dataset("value/" + std::to_string(i) + "/0", floats({3}, {static_cast<float>(i), 1, 2}));
  }
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(descriptors(), before_);
  }
  static std::ptrdiff_t descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  }
  std::unique_ptr<RecordSource> open() const { return open_data(path_, model_).value(); }
  static float first_of(const Result<Record>& record) { return record->inputs[0].values<float>()[0]; }

  /// What check() says of a child that answers so.
  template <class Write>
  std::string verdict(const Write& write, void (*read)(WireReader&)) const {
    const auto child = Hdf5Child::start(path_, [&](OpenFile, WireReader&, WireWriter& answers) {
      write(answers);
      answers.flush();
      ::pause();
    });
    if (!child.ok()) return child.error().message;
    read((*child)->wire());
    const Status status = (*child)->check();
    return status.ok() ? "no error" : status.error().message;
  }

  static constexpr int kRecords = 300;
  std::ptrdiff_t before_ = descriptors();
  DataFolder folder_;
  const std::string path_ = folder_.file("data.h5");
  const std::string damaged_ = path_ + ": the HDF5 library fails on it: the file is damaged";
  const Model model_ = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {3})});
};

TEST_F(Hdf5ChildTest, ReadsInAnyOrder) {
  const auto source = open();
  for (int i = 0; i < kRecords; ++i) EXPECT_EQ(first_of(source->read(i)), static_cast<float>(i));
  for (const int i : {5, 6, 7, 8, 3, 299, 0, 1, 2, 3, 4, 5, 6, 200, 200, 201}) EXPECT_EQ(first_of(source->read(i)), static_cast<float>(i));
}

TEST_F(Hdf5ChildTest, SeveralAtOnceAndFromOtherThreads) {
  const auto a = open(), b = open();
  std::thread other([&] {
    for (int i = 0; i < kRecords; ++i) EXPECT_EQ(first_of(b->read(i)), static_cast<float>(i));
  });
  for (int i = kRecords - 1; i >= 0; --i) EXPECT_EQ(first_of(a->read(i)), static_cast<float>(i));
  other.join();
  // Opened by a thread that has gone.
  std::unique_ptr<RecordSource> source;
  std::thread([&] { source = open(); }).join();
  EXPECT_EQ(first_of(source->read(7)), 7);
}

TEST_F(Hdf5ChildTest, AnErrorLeavesTheOthersReadable) {
  {
    Hdf5File file(path_);
    for (int i = 0; i < 6; ++i) file.dataset("value/" + std::to_string(i) + "/0", floats({i == 3 ? 2 : 3}, {static_cast<float>(i)}));
  }
  const auto source = open();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(source->read(i).ok(), i != 3);
}

TEST_F(Hdf5ChildTest, AnEmptyRoomIsNoFault) {
  open();  // never read
  const auto source = open();
  EXPECT_EQ(source->read(kRecords).error().message, path_ + ": record 300: there are 300 records");
}

TEST_F(Hdf5ChildTest, ADeathIsAnErrorFromThenOn) {
  const auto child = Hdf5Child::start(path_, [&](OpenFile, WireReader& requests, WireWriter& answers) {
    data::answer(
        answers, [] { return Result<int>(5); }, [&](int value) { answers.number(static_cast<std::uint64_t>(value)); });
    requests.number(9);
    ::raise(SIGSEGV);
  });
  ASSERT_TRUE((*child)->answer().ok());
  EXPECT_EQ((*child)->wire().number(5), 5U);
  (*child)->ask({1});
  EXPECT_EQ((*child)->answer().error().message, damaged_);
  (*child)->ask({1});
  EXPECT_EQ((*child)->answer().error().message, damaged_);
}

TEST_F(Hdf5ChildTest, ASpinIsAnErrorAfterTheStatedTime) {
  const Limits usual = limits();
  Limits short_ones = usual;
  short_ones.library_seconds = 1;
  set_limits(short_ones);
  const auto child = Hdf5Child::start(path_, [](OpenFile, WireReader&, WireWriter& answers) {
    data::answer(
        answers,
        [] {
          for (volatile bool more = true; more;) {
          }
          return Result<int>(5);
        },
        [](int) {});
  });
  EXPECT_EQ((*child)->answer().error().message,
            path_ + ": the HDF5 library does not come to an end with it (limit 1 s): the file is damaged");
  set_limits(usual);
}

TEST_F(Hdf5ChildTest, HasNoOtherFile) {
  const auto child = Hdf5Child::start(path_, [&](OpenFile file, WireReader&, WireWriter& answers) {
    data::answer(
        answers,
        [&] {
          const bool other = open_regular_file(path_).ok();
          char start[4] = {};
          return Result<int>(!other && ::pread(file.descriptor.get(), start, 4, 0) == 4 && start[1] == 'H' ? 1 : 0);
        },
        [&](int value) { answers.number(static_cast<std::uint64_t>(value)); });
  });
  ASSERT_TRUE((*child)->answer().ok());
  EXPECT_EQ((*child)->wire().number(1), 1U);
}

TEST_F(Hdf5ChildTest, NoMemoryInItIsNoMemoryHere) {
  const auto child = Hdf5Child::start(path_, [](OpenFile, WireReader&, WireWriter& answers) {
    data::answer(
        answers, []() -> Result<int> { throw std::bad_alloc(); }, [](int) {});
  });
  EXPECT_THROW(static_cast<void>((*child)->answer()), std::bad_alloc);
}

TEST_F(Hdf5ChildTest, LiesAboutArraysTakeNoMemory) {
  const auto array_of_shape = [](std::uint64_t dtype, std::initializer_list<std::uint64_t> dims) {
    return [=](WireWriter& out) {
      out.number(dtype);
      out.number(dims.size());
      for (const std::uint64_t size : dims) out.number(size);
    };
  };
  const auto read = [](WireReader& in) { EXPECT_EQ(data::read_array(in).bytes.size(), 0U); };
  constexpr auto kFloat = static_cast<std::uint64_t>(DType::kFloat32);
  constexpr auto kText = static_cast<std::uint64_t>(DType::kString);
  EXPECT_EQ(verdict(array_of_shape(kFloat, {1ULL << 40}), read), damaged_);
  EXPECT_EQ(verdict(array_of_shape(kFloat, {1ULL << 32, 1ULL << 32}), read), damaged_);
  EXPECT_EQ(verdict(array_of_shape(kFloat, {UINT64_MAX}), read), damaged_);
  EXPECT_EQ(verdict(array_of_shape(static_cast<std::uint64_t>(DType::kResource), {1ULL << 40}), read), damaged_);
  EXPECT_EQ(verdict(array_of_shape(1000, {1}), read), damaged_);
  EXPECT_EQ(verdict(
                [&](WireWriter& out) {
                  array_of_shape(kText, {2})(out);
                  out.number(1ULL << 50);
                },
                read),
            damaged_);
}

TEST_F(Hdf5ChildTest, FilesThatAreNone) {
  EXPECT_EQ(Hdf5Child::start("/dev/zero", {}).error().message, "/dev/zero: is not a file");
  EXPECT_EQ(Hdf5Child::start("/no/such", {}).error().message, "/no/such: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace visq
