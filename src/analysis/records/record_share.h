// Which records a rank computes, and what ranks tell each other of them. In every round each rank computes a block of records, the ranks'
// blocks side by side, so that a round is a range of records again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ranks.h"
#include "visq/run.h"

namespace visq::analysis {

class RecordShare {
 public:
  RecordShare(RecordRange range, const Ranks& ranks);

  bool several() const { return size_ > 1; }
  std::int64_t first() const { return range_.first; }
  /// Records of this rank; the next two are about one of them, by its position among them.
  std::int64_t count() const { return count_; }
  std::int64_t record(std::int64_t position) const;
  bool ends_block(std::int64_t position) const;
  std::int64_t rounds() const { return rounds_; }
  std::int64_t first_of_block(std::int64_t round, int rank) const;

  static std::string pack_block(const std::vector<std::string>& outputs);
  static std::vector<std::string> unpack_block(const std::string& block);
  static std::string pack_error(std::int64_t record, const Error& error);
  /// Of the blocks of all ranks: the error of the earliest record, and that record.
  static std::optional<std::pair<std::int64_t, Error>> earliest_error(const std::vector<std::string>& blocks);

 private:
  RecordRange range_;
  std::int64_t rank_, size_, block_ = 1, rounds_ = 0, count_ = 0;
};

}  // namespace visq::analysis
