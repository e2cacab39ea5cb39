#include "visqerror/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string>

#include "core/ranks.h"
#include "data/library_fault.h"
#include "visqerror/exit_code.h"

namespace visq::tool {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

void on_signal(int signal) {
  stop_signal = signal;
  stop_requested = true;
}

/// A mapped file whose end another program has cut off. There is no way back into the code that reads it.
void on_lost_page(int) {
  constexpr std::string_view kMessage = "visqerror: a file was cut short by another program while it was read\n";
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(kInputError);
}

/// A crash. Where it is the HDF5 library's, the file that it read is damaged: that much can be said, and no more be done. Any other one
/// comes again, and ends the process as if it had not been caught.
void on_crash(int signal) {
  const std::string_view file = hdf5::file_in_library();
  if (file.empty()) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  for (const std::string_view part :
       {std::string_view("visqerror: "), file, std::string_view(": the HDF5 library fails on it: the file is damaged\n")}) {
    static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
  }
  ::_exit(kInputError);
}

void catch_crashes() {
  alignas(16) static char stack[1 << 16];  // the crash may be that the stack has no room
  const stack_t own{stack, 0, sizeof stack};
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGILL}) sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_signals() {
  if (!ranks().several()) {  // ranks would stop at different records; their launcher ends them all
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, on_lost_page);
  catch_crashes();
}

const std::atomic<bool>& interrupted() { return stop_requested; }

int interruption_exit_code(std::string_view left) {
  print_error("interrupted, " + std::string(left));
  return 128 + stop_signal;
}

}  // namespace visq::tool
