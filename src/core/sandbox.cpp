#include "core/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <limits>
#include <vector>

#include "core/available_memory.h"
#include "core/sanitized.h"

namespace visq {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

/// Calls that concern nothing but what the process has.
constexpr std::uint32_t kAllowed[] = {
    // the descriptors that it holds
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_fstat, SYS_flock, SYS_close,
    // its memory
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
    // itself: locks, signals that come, the time, its end
    SYS_futex, SYS_sched_yield, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_getpid,
    SYS_gettid, SYS_clock_gettime, SYS_gettimeofday, SYS_getrusage, SYS_exit, SYS_exit_group};

constexpr sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
constexpr sock_filter equal(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}
constexpr sock_filter result(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

/// Adds: `call` is allowed where its first argument is `value`.
void allow_for(std::uint32_t call, std::uint32_t value, std::vector<sock_filter>& filter) {
  filter.insert(filter.end(), {equal(call, 0, 3), load(offsetof(seccomp_data, args)), equal(value, 0, 1), result(SECCOMP_RET_ALLOW),
                               load(offsetof(seccomp_data, nr))});
}

/// Any other call fails as one for which rights are missing: what the library tries besides is none of the data.
void keep_few_calls() {
  if (kArchitecture == 0) return;
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)), equal(kArchitecture, 1, 0), result(SECCOMP_RET_ERRNO | EPERM),
                                  load(offsetof(seccomp_data, nr))};
  for (const std::uint32_t call : kAllowed) filter.insert(filter.end(), {equal(call, 0, 1), result(SECCOMP_RET_ALLOW)});
  allow_for(SYS_prlimit64, 0, filter);                                    // of itself: allow_work()
  allow_for(SYS_tgkill, static_cast<std::uint32_t>(::getpid()), filter);  // abort()
  // A sanitizer tries addresses by pipes, writes what it finds to stderr, and its allocator ends the process where memory is refused.
  if (kSanitized) filter.insert(filter.end(), {equal(SYS_pipe2, 0, 1), result(SECCOMP_RET_ALLOW)});
#ifdef SYS_pipe
  if (kSanitized) filter.insert(filter.end(), {equal(SYS_pipe, 0, 1), result(SECCOMP_RET_ALLOW)});
#endif
  filter.push_back(result(SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);  // where it fails, the limits below are what there is
}

void close_all_but(std::initializer_list<int> keep) {
  std::vector<int> sorted(keep);
  if (kSanitized) sorted.push_back(STDERR_FILENO);
  std::sort(sorted.begin(), sorted.end());
  unsigned first = 0;
  const auto close_up_to = [&](unsigned last) {
    if (first > last || ::close_range(first, last, 0) == 0) return;
    const auto open = static_cast<unsigned>(::sysconf(_SC_OPEN_MAX));  // before Linux 5.9
    for (unsigned i = first; i <= std::min(last, open); ++i) ::close(static_cast<int>(i));
  };
  for (const int descriptor : sorted) {
    const auto number = static_cast<unsigned>(descriptor);
    if (number > 0) close_up_to(number - 1);
    first = number + 1;
  }
  close_up_to(std::numeric_limits<unsigned>::max());
}

void set_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGXCPU}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Sets the soft limit, as far as the hard one allows; `hard` too.
void limit(__rlimit_resource what, rlim_t most, bool hard) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return;
  const rlimit wanted{std::min(most, now.rlim_max), hard ? std::min(most, now.rlim_max) : now.rlim_max};
  ::setrlimit(what, &wanted);
}

/// What the sandbox remembers of the work at hand; nothing outside of it.
struct Work {
  bool inside = false;
  std::uint64_t base = 0;                         ///< memory that the process had when it began
  std::uint64_t memory = 0, seconds = 0;          ///< what it may have
  std::uint64_t set_memory = 0, set_seconds = 0;  ///< what the system was told
};
Work work;

/// Tells the system where that makes a difference: small records would pay for every call. kOwnMemory has room for what it is not told.
void set_limits_of_work() {
  constexpr std::uint64_t kGrain = kOwnMemory / 8;
  const std::uint64_t memory = work.memory / kGrain * kGrain;
  if (memory != work.set_memory && !kSanitized && work.base > 0) limit(RLIMIT_DATA, work.set_memory = memory, false);
  if (work.seconds != work.set_seconds) limit(RLIMIT_CPU, work.set_seconds = work.seconds, false);
}

}  // namespace

void enter_sandbox(std::initializer_list<int> keep, std::uint64_t most_memory) {
  set_signals();
  work.base = private_memory();
  work.inside = true;
  close_all_but(keep);
  for (const auto what : {RLIMIT_CORE, RLIMIT_FSIZE}) limit(what, 0, true);
  if (!kSanitized) limit(RLIMIT_NOFILE, 0, true);
  if (!kSanitized && work.base > 0 && most_memory < std::numeric_limits<std::uint64_t>::max() - work.base - kOwnMemory) {
    limit(RLIMIT_DATA, work.base + kOwnMemory + most_memory, true);
  }
  keep_few_calls();
}

void begin_work(int seconds) {
  if (!work.inside) return;
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  work.memory = work.base + kOwnMemory;
  work.seconds = static_cast<std::uint64_t>(used.tv_sec) + 1 + static_cast<std::uint64_t>(seconds);
  set_limits_of_work();
}

void allow_work(std::uint64_t bytes) {
  if (!work.inside) return;
  constexpr std::uint64_t kBytesPerSecond = std::uint64_t{16} << 20;
  work.memory += std::min(bytes, std::numeric_limits<std::uint64_t>::max() - work.memory);
  work.seconds += bytes / kBytesPerSecond;
  set_limits_of_work();
}

}  // namespace visq
