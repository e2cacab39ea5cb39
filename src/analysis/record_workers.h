// Records in parallel, results in order: threads take records as they come, one fold sees the outputs in ascending order, so results
// do not depend on the number of threads.
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

#include "core/error.h"
#include "core/threads.h"
#include "visq/data.h"
#include "visq/run.h"

namespace visq::analysis {

/// Turns one record into an output; each thread has its own, made by a factory.
template <class Output>
using RecordWorker = std::function<Result<Output>(const Record&)>;

template <class Output>
class RecordWorkers {
 public:
  using MakeWorker = std::function<Result<RecordWorker<Output>>()>;
  using Fold = std::function<Status(std::int64_t record, Output&&)>;

  RecordWorkers(RecordSource& source, RecordRange range, MakeWorker make_worker, Fold fold, const std::atomic<bool>* stop)
      : source_(source),
        range_(range),
        make_worker_(std::move(make_worker)),
        fold_(std::move(fold)),
        stop_(stop),
        next_(range.first),
        folded_(range.first) {}

  /// Runs on `threads` threads (the calling one among them). Returns how many records were folded: fewer than the range where `stop`
  /// was set. Errors: that of the earliest record that failed.
  Result<std::int64_t> run(int threads) {
    in_flight_ = static_cast<std::int64_t>(threads) * 4;
    on_threads(threads, [this](int) { work(); });
    if (error_) return *error_;
    return folded_ - range_.first;
  }

 private:
  /// Without memory one thread ends, and the others must not wait for its record.
  void work() {
    try {
      work_on_records();
    } catch (const std::bad_alloc&) {
      fail(range_.first, bad_input("there is not enough memory for this model and these data; fewer --threads take less"));
    }
  }

  void work_on_records() {
    auto worker = make_worker_();
    if (!worker.ok()) return fail(range_.first, worker.error());
    while (auto record = take()) {
      const std::int64_t index = record->index;
      auto output = (*worker)(*record);
      if (!output.ok()) return fail(index, output.error());
      hand_over(index, std::move(output).value());
    }
  }

  /// The next record; nothing at the end, after an error, or when asked to stop.
  std::optional<Record> take() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return error_ || next_ - folded_ < in_flight_; });
    if (error_ || next_ >= range_.last || (stop_ != nullptr && stop_->load())) return std::nullopt;
    auto record = source_.read(next_);
    if (!record.ok()) {
      set_error(next_, record.error());
      return std::nullopt;
    }
    ++next_;
    return std::move(record).value();
  }

  void hand_over(std::int64_t index, Output&& output) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(index, std::move(output));
    while (!error_ && !waiting_.empty() && waiting_.begin()->first == folded_) {
      const auto status = fold_(folded_, std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      if (!status.ok()) set_error(folded_, status.error());
      ++folded_;
    }
    room_.notify_all();
  }

  void fail(std::int64_t record, const Error& error) {
    const std::lock_guard lock(mutex_);
    set_error(record, error);
  }

  void set_error(std::int64_t record, const Error& error) {
    if (!error_ || record < error_record_) error_ = error, error_record_ = record;
    room_.notify_all();
  }

  RecordSource& source_;
  RecordRange range_;
  MakeWorker make_worker_;
  Fold fold_;
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<std::int64_t, Output> waiting_;
  std::int64_t next_, folded_, in_flight_ = 1;
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
