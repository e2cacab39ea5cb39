// Whether this process has been asked to end: set by who catches signals, looked at by who waits for something that need not come.
#pragma once

#include <atomic>

namespace visq {

inline constinit std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

}  // namespace visq
