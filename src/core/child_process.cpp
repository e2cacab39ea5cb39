#include "core/child_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/as_size.h"
#include "core/error.h"
#include "core/stop.h"

namespace visq {
namespace {

/// How often who waits looks whether it is still wanted: another thread may have got the signal.
constexpr int kGlance = 100;  // ms
/// How long an answer may take once this process is to end. Most come in time, and the work ends as it does between two records.
constexpr std::chrono::milliseconds kPatience{500};

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const Work& work, const std::string& name) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return bad_input("{}: no process for it: {}", name, std::strerror(errno));
  }
  Descriptor ours(ends[0]), theirs(ends[1]);
  const pid_t process = ::fork();
  if (process < 0) return bad_input("{}: no process for it: {}", name, std::strerror(errno));
  if (process == 0) {
    try {
      work(theirs.get());
    } catch (...) {  // nothing that the parent owns may be unwound
      ::_exit(1);
    }
    ::_exit(0);
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(process, std::move(ours)));
}

ChildProcess::~ChildProcess() { finish(); }

void ChildProcess::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(channel_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // it has ended: receive() tells how
    bytes = bytes.subspan(as_size(sent));
  }
}

std::size_t ChildProcess::receive(std::span<std::byte> bytes) {
  while (process_ != 0) {
    const ssize_t count = ::recv(channel_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0) return as_size(count);
    if (count < 0 && errno == EINTR) continue;
    const bool later = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!later || !wait()) finish();
  }
  return 0;
}

/// False where this process has been asked to end for longer than patience lasts.
bool ChildProcess::wait() {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::time_point::max();
  pollfd channel{channel_.get(), POLLIN, 0};
  while (::poll(&channel, 1, kGlance) <= 0) {
    if (!stop_requested) continue;
    const auto now = Clock::now();
    if (end == Clock::time_point::max()) end = now + kPatience;
    if (now < end) continue;
    end_ = ChildEnd::kStopped;
    return false;
  }
  return true;
}

/// Ends it, where it has not ended by itself, and takes note why.
void ChildProcess::finish() {
  if (process_ == 0) return;
  channel_.close();
  int status = 0;
  const bool alive = ::waitpid(process_, &status, WNOHANG) == 0;
  if (alive) {  // or about to end: then its status stands already
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = 0;
  if (end_ == ChildEnd::kStopped || !WIFSIGNALED(status)) return;
  if (WTERMSIG(status) == SIGXCPU) end_ = ChildEnd::kTime;
  if (WTERMSIG(status) == SIGKILL) end_ = ChildEnd::kKilled;
}

}  // namespace visq
