// The same work on several threads. An exception (no memory) must not leave a thread: it would end the process.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace visq {

/// Calls work(0) here and work(1) … work(threads - 1) on threads of their own, as far as the system gives so many, and waits for all.
/// Throws what the first of them threw.
inline void on_threads(int threads, const std::function<void(int thread)>& work) {
  std::exception_ptr fault;
  std::mutex mutex;
  const auto guarded = [&](int thread) {
    try {
      work(thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!fault) fault = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < threads; ++i) others.emplace_back(guarded, i);
  } catch (const std::system_error&) {  // the system has no more threads: those that there are do all the work
  }
  guarded(0);
  for (std::thread& thread : others) thread.join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace visq
