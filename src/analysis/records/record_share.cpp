#include "analysis/records/record_share.h"

#include <algorithm>

#include "core/packing.h"

namespace visq::analysis {
namespace {

constexpr std::int64_t kLargestBlock = 16;  ///< few enough to be in memory at once, many enough that ranks seldom wait for each other

}  // namespace

RecordShare::RecordShare(RecordRange range, const Ranks& ranks) : range_(range), rank_(ranks.rank()), size_(ranks.size()) {
  const std::int64_t all = std::max<std::int64_t>(0, range.last - range.first);
  block_ = several() ? std::clamp<std::int64_t>((all + size_ - 1) / size_, 1, kLargestBlock) : std::max<std::int64_t>(1, all);
  const std::int64_t round = block_ * size_;
  rounds_ = (all + round - 1) / round;
  count_ = all / round * block_ + std::clamp<std::int64_t>(all % round - rank_ * block_, 0, block_);
}

std::int64_t RecordShare::record(std::int64_t position) const {
  return first_of_block(position / block_, static_cast<int>(rank_)) + position % block_;
}

bool RecordShare::ends_block(std::int64_t position) const { return position % block_ == block_ - 1 || position == count_ - 1; }

std::int64_t RecordShare::first_of_block(std::int64_t round, int rank) const { return range_.first + (round * size_ + rank) * block_; }

std::string RecordShare::pack_block(const std::vector<std::string>& outputs) {
  PackWriter writer;
  writer.add(std::uint8_t{1});
  for (const std::string& output : outputs) writer.add_text(output);
  return writer.take();
}

std::vector<std::string> RecordShare::unpack_block(const std::string& block) {
  PackReader reader(block);
  std::uint8_t sound = 0;
  std::vector<std::string> outputs;
  if (!reader.get(sound)) return outputs;
  for (std::string output; reader.get_text(output);) outputs.push_back(std::move(output));
  return outputs;
}

std::string RecordShare::pack_error(std::int64_t record, const Error& error) {
  PackWriter writer;
  writer.add(std::uint8_t{0});
  writer.add(record);
  writer.add(error.reason);
  writer.add_text(error.message);
  return writer.take();
}

std::optional<std::pair<std::int64_t, Error>> RecordShare::earliest_error(const std::vector<std::string>& blocks) {
  std::optional<std::pair<std::int64_t, Error>> earliest;
  for (const std::string& block : blocks) {
    PackReader reader(block);
    std::uint8_t sound = 1;
    std::int64_t record = 0;
    Error error;
    if (!reader.get(sound) || sound != 0 || !reader.get(record) || !reader.get(error.reason) || !reader.get_text(error.message)) continue;
    if (!earliest || record < earliest->first) earliest = {record, std::move(error)};
  }
  return earliest;
}

}  // namespace visq::analysis
