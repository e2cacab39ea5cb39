// A flag that long work looks at, set by a signal or when time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace visq::tool {

class TimeLimit {
 public:
  /// `seconds` from now on.
  explicit TimeLimit(double seconds);

  /// Set once time is over, or a signal has come.
  const std::atomic<bool>& stop() const { return stop_; }
  bool over() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
  std::atomic<bool> stop_{false};
  std::jthread watch_;
};

}  // namespace visq::tool
