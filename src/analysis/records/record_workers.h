// Records in parallel, results in order: threads take records as they come, one fold sees the outputs in ascending order, so results
// do not depend on the number of threads, nor on that of the ranks that share the records.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "analysis/records/record_share.h"
#include "core/error.h"
#include "core/threads.h"
#include "visq/data.h"
#include "visq/run.h"

namespace visq::analysis {

/// Turns one record into an output; each thread has its own, made by a factory.
template <class Output>
using RecordWorker = std::function<Result<Output>(const Record&)>;

/// An output as bytes, where the ranks of a job share the records.
template <class Output>
struct OutputCodec {
  std::function<std::string(const Output&)> pack;
  std::function<Result<Output>(const std::string&)> unpack;
};

template <class Output>
class RecordWorkers {
 public:
  using MakeWorker = std::function<Result<RecordWorker<Output>>()>;
  using Fold = std::function<Status(std::int64_t record, Output&&)>;

  /// With a codec the ranks share the records, and every one of them folds all outputs; without one each computes all.
  RecordWorkers(RecordSource& source, RecordRange range, MakeWorker make_worker, Fold fold, const std::atomic<bool>* stop,
                std::optional<OutputCodec<Output>> codec = {})
      : source_(source),
        share_(range, codec ? ranks() : Ranks()),
        make_worker_(std::move(make_worker)),
        fold_(std::move(fold)),
        stop_(stop),
        codec_(std::move(codec)) {}

  /// Runs on `threads` threads (the calling one among them). Returns how many records were folded: fewer than the range where `stop`
  /// was set. Errors: that of the earliest record that failed.
  Result<std::int64_t> run(int threads) {
    in_flight_ = static_cast<std::int64_t>(threads) * 4;
    on_threads(threads, [this](int) { work(); });
    if (share_.several()) {
      while (!agreed_ && round_ < share_.rounds()) exchange();
    }
    if (error_) return *error_;
    return folded_;
  }

 private:
  /// Without memory one thread ends, and the others must not wait for its record.
  void work() {
    try {
      work_on_records();
    } catch (const std::bad_alloc&) {
      fail(0, bad_input("there is not enough memory for this model and these data; fewer --threads take less"));
    }
  }

  void work_on_records() {
    auto worker = make_worker_();
    if (!worker.ok()) return fail(0, worker.error());
    std::int64_t position = 0;
    while (auto record = take(position)) {
      auto output = (*worker)(*record);
      if (!output.ok()) return fail(position, output.error());
      hand_over(position, std::move(output).value());
    }
  }

  /// The next record and its position in this rank's share; nothing at the end, after an error, or when asked to stop.
  std::optional<Record> take(std::int64_t& position) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return error_ || next_ - handed_over_ < in_flight_; });
    if (error_ || next_ >= share_.count() || (stop_ != nullptr && stop_->load())) return std::nullopt;
    position = next_;
    auto record = source_.read(share_.record(position));
    if (!record.ok()) {
      set_error(share_.record(position), record.error());
      return std::nullopt;
    }
    ++next_;
    return std::move(record).value();
  }

  void hand_over(std::int64_t position, Output&& output) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(position, std::move(output));
    while (!error_ && !waiting_.empty() && waiting_.begin()->first == handed_over_) {
      const std::int64_t first = handed_over_++;
      Output next = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      if (!share_.several()) {
        fold(share_.record(first), std::move(next));
      } else {
        block_.push_back(codec_->pack(next));
        if (share_.ends_block(first)) exchange();
      }
    }
    room_.notify_all();
  }

  void fold(std::int64_t record, Output&& output) {
    const auto status = fold_(record, std::move(output));
    if (!status.ok()) set_error(record, status.error());
    ++folded_;
  }

  /// What this rank has of the round goes to all, and what all have is folded in the order of records.
  void exchange() {
    const std::string own = error_ ? RecordShare::pack_error(error_record_, *error_) : RecordShare::pack_block(block_);
    block_.clear();
    const auto blocks = ranks().exchange(own);
    const auto failure = blocks.ok() ? RecordShare::earliest_error(*blocks) : std::pair(share_.first(), blocks.error());
    if (failure) {
      agreed_ = true;
      error_.reset();
      return set_error(failure->first, failure->second);
    }
    for (std::size_t rank = 0; rank < blocks->size(); ++rank) fold_block(static_cast<int>(rank), (*blocks)[rank]);
    ++round_;
  }

  void fold_block(int rank, const std::string& block) {
    std::int64_t record = share_.first_of_block(round_, rank);
    for (const std::string& bytes : RecordShare::unpack_block(block)) {
      if (error_) return;
      auto output = codec_->unpack(bytes);
      if (!output.ok()) return set_error(record, output.error());
      fold(record++, std::move(output).value());
    }
  }

  void fail(std::int64_t position, const Error& error) {
    const std::lock_guard lock(mutex_);
    set_error(share_.record(position), error);
  }

  void set_error(std::int64_t record, const Error& error) {
    if (!error_ || record < error_record_) error_ = error, error_record_ = record;
    room_.notify_all();
  }

  RecordSource& source_;
  RecordShare share_;
  MakeWorker make_worker_;
  Fold fold_;
  const std::atomic<bool>* stop_;
  std::optional<OutputCodec<Output>> codec_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::int64_t, Output> waiting_;  ///< by position in this rank's share
  std::int64_t next_ = 0, handed_over_ = 0, folded_ = 0, in_flight_ = 1;
  std::vector<std::string> block_;  ///< outputs of this round
  std::int64_t round_ = 0;
  bool agreed_ = false;  ///< all ranks know of the error
  std::optional<Error> error_;
  std::int64_t error_record_ = 0;
};

/// Threads to use: `wanted`, or all cores for 0; never more than there are records.
inline int thread_count(int wanted, RecordRange records) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::int64_t useful = std::max<std::int64_t>(1, records.last - records.first);
  return static_cast<int>(std::min<std::int64_t>(wanted > 0 ? wanted : cores, useful));
}

}  // namespace visq::analysis
