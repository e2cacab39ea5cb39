// A child process that works for this one and talks to it through a socket. Whatever becomes of it, this process goes on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/descriptor.h"
#include "visq/status.h"

namespace visq {

/// Why a child says nothing any more.
enum class ChildEnd {
  kFault,    ///< it crashed, or left
  kTime,     ///< its time was up (SIGXCPU)
  kKilled,   ///< by the system, which needs its memory, or by another program (SIGKILL)
  kStopped,  ///< this process is to end (core/stop.h), and its answer did not come
};

/// Used by one thread at a time. Its descriptors are inherited by no program that is started; a child that is forked later is to close
/// them, as enter_sandbox() does.
class ChildProcess {
 public:
  /// What the child does, with its end of the socket; the child ends with it. It has one thread: no lock that another thread may have
  /// held at the fork may be taken.
  using Work = std::function<void(int channel)>;

  /// Errors: kBadInput, "data.h5: no process for it: Resource temporarily unavailable".
  static Result<std::unique_ptr<ChildProcess>> start(const Work& work, const std::string& name);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(std::span<const std::byte> bytes);
  /// Waits for bytes, at least one; 0 where none will come any more. Looks at stop_requested while it waits.
  std::size_t receive(std::span<std::byte> bytes);
  /// Once receive() has said 0.
  ChildEnd end() const { return end_; }

 private:
  ChildProcess(pid_t process, Descriptor channel) : process_(process), channel_(std::move(channel)) {}
  bool wait();
  void finish();

  pid_t process_;  ///< 0: it has ended
  Descriptor channel_;
  ChildEnd end_ = ChildEnd::kFault;
};

}  // namespace visq
