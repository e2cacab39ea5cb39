#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/error.h"
#include "support/runs/data_files.h"
#include "visq/data.h"

namespace visq {
namespace {

/// What a test can see of a source that another thread uses.
struct Seen {
  std::atomic<int> reads = 0;
  std::atomic<bool> closed = false;
  std::atomic<bool> one_thread = true;
};

/// Records that hold their own index; record 7 fails and record 8 throws.
class Counting : public RecordSource {
 public:
  Counting(std::int64_t count, Seen& seen) : count_(count), seen_(seen) {}
  ~Counting() override { close(); }
  std::int64_t count() const override { return count_; }
  std::string description() const override { return "counting"; }
  Result<Record> read(std::int64_t index) override {
    check_thread();
    ++seen_.reads;
    if (index == 7) return bad_input("counting: record 7: broken");
    if (index == 8) throw std::runtime_error("no memory");
    return Record{index, {testing::floats({1}, {static_cast<float>(index)})}, {}};
  }

 private:
  void close() {
    check_thread();
    seen_.closed = true;
  }
  void check_thread() {
    if (reader_ == std::thread::id()) reader_ = std::this_thread::get_id();
    if (reader_ != std::this_thread::get_id()) seen_.one_thread = false;
  }
  std::int64_t count_;
  Seen& seen_;
  std::thread::id reader_;
};

bool waits_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

TEST(ReadAhead, PassesRecordsOnInOrder) {
  Seen seen;
  {
    const auto source = read_ahead(std::make_unique<Counting>(6, seen), {0, 6}, {.records = 2});
    EXPECT_EQ(source->count(), 6);
    EXPECT_EQ(source->description(), "counting");
    for (int i = 0; i < 6; ++i) {
      const auto record = source->read(i);
      ASSERT_TRUE(record.ok());
      EXPECT_EQ(record->index, i);
    }
    EXPECT_EQ(seen.reads, 6);
  }
  EXPECT_TRUE(seen.closed);
  EXPECT_TRUE(seen.one_thread);
}

TEST(ReadAhead, ReadsNoFurtherThanItsDepthAndItsRange) {
  Seen seen;
  const auto source = read_ahead(std::make_unique<Counting>(6, seen), {1, 4}, {.records = 2});
  EXPECT_TRUE(waits_until([&] { return seen.reads == 2; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.reads, 2);  // before anything was asked for
  EXPECT_EQ(source->read(1)->index, 1);
  EXPECT_TRUE(waits_until([&] { return seen.reads == 3; }));
  EXPECT_EQ(source->read(2)->index, 2);
  EXPECT_EQ(source->read(3)->index, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.reads, 3);
  EXPECT_EQ(source->read(4)->index, 4);  // outside, but asked for
}

TEST(ReadAhead, StopsWithTheRecordThatReachesItsBytes) {
  Seen seen;
  const auto source = read_ahead(std::make_unique<Counting>(100, seen), {10, 100}, {.records = 50, .bytes = 5 * sizeof(float)});
  EXPECT_TRUE(waits_until([&] { return seen.reads == 5; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.reads, 5);
  for (int i = 10; i < 13; ++i) EXPECT_EQ(source->read(i)->index, i);  // two are left, less than half: it reads on
  EXPECT_TRUE(waits_until([&] { return seen.reads == 8; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.reads, 8);
}

TEST(ReadAhead, RestsUntilHalfIsUsedUp) {
  Seen seen;
  const auto source = read_ahead(std::make_unique<Counting>(100, seen), {10, 100}, {.records = 8});
  EXPECT_TRUE(waits_until([&] { return seen.reads == 8; }));
  for (int i = 10; i < 13; ++i) EXPECT_EQ(source->read(i)->index, i);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(seen.reads, 8);
  EXPECT_EQ(source->read(13)->index, 13);
  EXPECT_TRUE(waits_until([&] { return seen.reads == 12; }));
}

TEST(ReadAhead, AnyOrderGivesTheRecordsAskedFor) {
  Seen seen;
  const auto source = read_ahead(std::make_unique<Counting>(6, seen), {0, 6}, {.records = 3});
  for (const int i : {3, 4, 0, 0, 5, 1, 2, 3}) EXPECT_EQ(source->read(i)->index, i);
}

TEST(ReadAhead, ErrorsAndExceptionsComeWithTheirRecord) {
  Seen seen;
  const auto source = read_ahead(std::make_unique<Counting>(10, seen), {6, 10}, {.records = 4});
  EXPECT_TRUE(source->read(6).ok());
  EXPECT_EQ(source->read(7).error().message, "counting: record 7: broken");
  EXPECT_EQ(source->read(8).error().message, "counting: record 8: cannot be read: there is not enough memory for it");
  EXPECT_EQ(source->read(9)->index, 9);
}

TEST(ReadAhead, EndsWithoutBeingReadToTheEnd) {
  Seen seen;
  { const auto source = read_ahead(std::make_unique<Counting>(1000, seen), {0, 1000}, {.records = 4}); }
  EXPECT_TRUE(seen.closed);
  EXPECT_TRUE(seen.one_thread);
  EXPECT_LE(seen.reads, 4);
}

}  // namespace
}  // namespace visq
