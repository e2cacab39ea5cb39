// Ranks that share a run: what they tell each other, and that nobody waits for one that has gone.
#include "core/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace visq {
namespace {

/// Ranks as threads of this process.
class Meeting {
 public:
  explicit Meeting(int size) : own_(static_cast<std::size_t>(size)) {}
  std::vector<std::string> gather(int rank, const std::string& bytes) {
    std::unique_lock lock(mutex_);
    own_[static_cast<std::size_t>(rank)] = bytes;
    const int turn = turn_;
    if (++arrived_ == static_cast<int>(own_.size())) {
      all_ = own_, arrived_ = 0, ++turn_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return turn_ != turn; });
    return all_;
  }
  int size() const { return static_cast<int>(own_.size()); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> own_, all_;
  int arrived_ = 0, turn_ = 0;
};

class Seat : public RankTransport {
 public:
  Seat(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return meeting_.size(); }
  std::vector<std::string> gather(const std::string& own) override { return meeting_.gather(rank_, own); }

 private:
  Meeting& meeting_;
  int rank_;
};

void as_ranks(int size, const std::function<void(Ranks&)>& run) {
  Meeting meeting(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&meeting, &run, rank] {
      Seat seat(meeting, rank);
      Ranks ranks(&seat);
      run(ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Ranks, OneProcessHasItselfOnly) {
  Ranks alone;
  EXPECT_TRUE(alone.first());
  EXPECT_FALSE(alone.several());
  EXPECT_THAT(*alone.exchange("a"), ::testing::ElementsAre("a"));
  std::string message;
  EXPECT_EQ(alone.finish(3, message), 3);
}

TEST(Ranks, AllGetWhatAllGave) {
  as_ranks(3, [](Ranks& ranks) {
    const auto given = ranks.exchange(std::string(static_cast<std::size_t>(ranks.rank()), 'x'));
    EXPECT_THAT(*given, ::testing::ElementsAre("", "x", "xx"));
    std::string message;
    EXPECT_EQ(ranks.finish(1, message), 1) << "a condition that does not hold is no failure of one rank";
    EXPECT_EQ(message, "");
  });
}

TEST(Ranks, WhoEndsEarlyEndsAllWithItsReason) {
  as_ranks(3, [](Ranks& ranks) {
    std::string message;
    if (ranks.rank() == 1) {
      ranks.note_failure("data.h5: cannot be opened");
      EXPECT_EQ(ranks.finish(3, message), 3);
      return;
    }
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(ranks.exchange("work").ok());
    EXPECT_EQ(ranks.finish(3, message), 3);
  });
  as_ranks(2, [](Ranks& ranks) {
    std::string message;
    if (ranks.rank() == 1) {
      ranks.note_failure("disk full");
      ranks.finish(3, message);
      return;
    }
    const auto given = ranks.exchange("work");
    ASSERT_FALSE(given.ok());
    EXPECT_EQ(given.error().reason, Reason::kBadInput);
    EXPECT_EQ(given.error().message, "rank 1: disk full");
  });
}

TEST(Ranks, AFailureAtTheEndIsToldByTheFirst) {
  as_ranks(3, [](Ranks& ranks) {
    if (ranks.rank() == 2) ranks.note_failure("cannot end");
    std::string message;
    EXPECT_EQ(ranks.finish(ranks.rank() == 2 ? 5 : 0, message), 5);
    EXPECT_EQ(message, "rank 2: cannot end");
  });
}

}  // namespace
}  // namespace visq
