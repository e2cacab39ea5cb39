// Which records a rank computes: together all, each once, and what a round folds is in order.
#include "analysis/records/record_share.h"

#include <gtest/gtest.h>

namespace visq::analysis {
namespace {

class Seat : public RankTransport {
 public:
  Seat(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<std::string> gather(const std::string&) override { return {}; }

 private:
  int rank_, size_;
};

TEST(RecordShare, GivesEveryRecordToOneRankInOrder) {
  for (const int size : {1, 2, 3, 7}) {
    for (const std::int64_t records : {0, 1, 2, 6, 47, 48, 49, 500}) {
      std::vector<std::int64_t> order;
      std::vector<std::int64_t> position(static_cast<std::size_t>(size), 0);
      std::int64_t rounds = 0;
      for (int rank = 0; rank < size; ++rank) {
        Seat seat(rank, size);
        rounds = RecordShare({5, 5 + records}, Ranks(&seat)).rounds();
      }
      for (std::int64_t round = 0; round < rounds; ++round) {
        for (int rank = 0; rank < size; ++rank) {
          Seat seat(rank, size);
          const RecordShare share({5, 5 + records}, Ranks(&seat));
          std::int64_t& at = position[static_cast<std::size_t>(rank)];
          std::int64_t expected = share.first_of_block(round, rank);
          for (bool end = at >= share.count() || share.record(at) < expected; !end; ++at) {
            order.push_back(share.record(at));
            EXPECT_EQ(order.back(), expected++);
            end = share.ends_block(at);
          }
        }
      }
      ASSERT_EQ(static_cast<std::int64_t>(order.size()), records) << size;
      for (std::int64_t i = 0; i < records; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], 5 + i) << size << " " << records;
    }
  }
}

TEST(RecordShare, PacksBlocksAndTheEarliestError) {
  const std::vector<std::string> outputs{"", std::string("a\0b", 3), "c"};
  const std::string block = RecordShare::pack_block(outputs);
  EXPECT_EQ(RecordShare::unpack_block(block), outputs);
  EXPECT_FALSE(RecordShare::earliest_error({block, RecordShare::pack_block({})}).has_value());
  const auto earliest = RecordShare::earliest_error(
      {RecordShare::pack_error(9, {Reason::kUsage, "late"}), block, RecordShare::pack_error(4, {Reason::kBadInput, "early"})});
  ASSERT_TRUE(earliest.has_value());
  EXPECT_EQ(earliest->first, 4);
  EXPECT_EQ(earliest->second.message, "early");
  EXPECT_EQ(earliest->second.reason, Reason::kBadInput);
}

}  // namespace
}  // namespace visq::analysis
