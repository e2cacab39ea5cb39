// Reading ahead: a thread of its own fetches the next records while the others compute.
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "visq/data.h"

namespace visq {
namespace {

std::size_t bytes_of(const Record& record) {
  std::size_t bytes = 0;
  for (const Array& input : record.inputs) bytes += input.bytes.size();
  return bytes;
}

class ReadAhead : public RecordSource {
 public:
  ReadAhead(std::unique_ptr<RecordSource> source, RecordRange range, ReadAheadLimit limit)
      : count_(source->count()),
        description_(source->description()),
        limit_(limit),
        wanted_(range.first),
        next_(range.first),
        last_(std::min(range.last, count_)),
        source_(std::move(source)),
        thread_([this] { fetch(); }) {}

  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_one();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::int64_t count() const override { return count_; }
  std::string description() const override { return description_; }
  std::string record_name(std::int64_t index) const override { return source_->record_name(index); }

  Result<Record> read(std::int64_t index) override {
    std::unique_lock lock(mutex_);
    if (index != wanted_ || index >= last_) restart(index);
    waiting_ = true;
    came_.wait(lock, [this] { return !ready_.empty(); });
    waiting_ = false;
    Result<Record> record = std::move(ready_.front());
    ready_.pop_front();
    if (record.ok()) bytes_ -= bytes_of(*record);
    wanted_ = index + 1;
    const bool refill = full_ && ready_.size() <= filled_ / 2;
    if (refill) full_ = false;
    lock.unlock();
    if (refill) room_.notify_one();
    return record;
  }

 private:
  /// Forgets what was read and goes on at `index`. With the lock held.
  void restart(std::int64_t index) {
    ready_.clear();
    bytes_ = 0;
    full_ = false;
    ++generation_;
    wanted_ = next_ = index;
    last_ = std::max(last_, index + 1);
    room_.notify_one();
  }

  /// The thread: reads until the limit, then rests until half of that is used up, since a wake-up per record would cost more than
  /// small records do. The source is closed here, where it was read.
  void fetch() {
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, [this] { return stop_ || (!full_ && next_ < last_); });
      if (stop_) break;
      const std::int64_t index = next_;
      const std::int64_t generation = generation_;
      lock.unlock();
      Result<Record> record = fetch_one(index);
      lock.lock();
      if (generation != generation_) continue;  // asked for another one in the meantime
      if (record.ok()) bytes_ += bytes_of(*record);
      ready_.push_back(std::move(record));
      ++next_;
      filled_ = ready_.size();
      full_ = filled_ >= limit_.records || bytes_ >= limit_.bytes;
      if (waiting_) came_.notify_one();
    }
    lock.unlock();
    source_.reset();
  }

  /// An exception (no memory) belongs to the record, not to the thread.
  Result<Record> fetch_one(std::int64_t index) {
    try {
      return source_->read(index);
    } catch (const std::exception&) {
      return bad_input("{}: record {}: cannot be read: there is not enough memory for it", description_, index);
    }
  }

  const std::int64_t count_;
  const std::string description_;
  const ReadAheadLimit limit_;
  std::mutex mutex_;
  std::condition_variable came_;  ///< for read(): a record
  std::condition_variable room_;  ///< for the thread: room, or the end
  std::deque<Result<Record>> ready_;
  std::size_t bytes_ = 0;   ///< in ready_
  std::size_t filled_ = 0;  ///< records in ready_ after the last one was read
  bool full_ = false;       ///< the thread rests
  bool waiting_ = false;    ///< read() does
  std::int64_t wanted_;     ///< what read() is expected to ask for next: ready_.front(), if anything is ready
  std::int64_t next_;       ///< what the thread reads next
  std::int64_t last_;
  std::int64_t generation_ = 0;
  bool stop_ = false;
  std::unique_ptr<RecordSource> source_;  ///< read by the thread only
  std::thread thread_;
};

}  // namespace

std::unique_ptr<RecordSource> read_ahead(std::unique_ptr<RecordSource> source, RecordRange range, ReadAheadLimit limit) {
  return std::make_unique<ReadAhead>(std::move(source), range, limit);
}

}  // namespace visq
