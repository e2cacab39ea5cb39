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

class ReadAhead : public RecordSource {
 public:
  ReadAhead(std::unique_ptr<RecordSource> source, RecordRange range, int depth)
      : count_(source->count()),
        description_(source->description()),
        depth_(static_cast<std::size_t>(std::max(depth, 1))),
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
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::int64_t count() const override { return count_; }
  std::string description() const override { return description_; }

  Result<Record> read(std::int64_t index) override {
    std::unique_lock lock(mutex_);
    if (index != wanted_ || index >= last_) restart(index);
    changed_.wait(lock, [this] { return !ready_.empty(); });
    Result<Record> record = std::move(ready_.front());
    ready_.pop_front();
    wanted_ = index + 1;
    lock.unlock();
    changed_.notify_all();
    return record;
  }

 private:
  /// Forgets what was read and goes on at `index`. With the lock held.
  void restart(std::int64_t index) {
    ready_.clear();
    ++generation_;
    wanted_ = next_ = index;
    last_ = std::max(last_, index + 1);
    changed_.notify_all();
  }

  /// The thread: reads while there is room and something left. The source is closed here, where it was read.
  void fetch() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || (ready_.size() < depth_ && next_ < last_); });
      if (stop_) break;
      const std::int64_t index = next_;
      const std::int64_t generation = generation_;
      lock.unlock();
      Result<Record> record = fetch_one(index);
      lock.lock();
      if (generation != generation_) continue;  // asked for another one in the meantime
      ready_.push_back(std::move(record));
      ++next_;
      changed_.notify_all();
    }
    lock.unlock();
    source_.reset();
  }

  /// An exception (no memory) belongs to the record, not to the thread.
  Result<Record> fetch_one(std::int64_t index) {
    try {
      return source_->read(index);
    } catch (const std::exception& error) {
      return bad_input("{}: record {}: cannot be read: {}", description_, index, error.what());
    }
  }

  const std::int64_t count_;
  const std::string description_;
  const std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<Record>> ready_;
  std::int64_t wanted_;  ///< what read() is expected to ask for next: ready_.front(), if anything is ready
  std::int64_t next_;    ///< what the thread reads next
  std::int64_t last_;
  std::int64_t generation_ = 0;
  bool stop_ = false;
  std::unique_ptr<RecordSource> source_;  ///< used by the thread only
  std::thread thread_;
};

}  // namespace

std::unique_ptr<RecordSource> read_ahead(std::unique_ptr<RecordSource> source, RecordRange range, int depth) {
  return std::make_unique<ReadAhead>(std::move(source), range, depth);
}

}  // namespace visq
