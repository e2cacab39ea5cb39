#include "visqerror/terminal/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "core/file.h"
#include "core/ranks.h"
#include "core/stop.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool {
namespace {

std::atomic<int> stop_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

/// Work is looked after between records. Where nobody has looked for so long, the process ends all the same.
constexpr timeval kPatience{0, 800'000};

void set_alarm(timeval after) {
  const itimerval once{{0, 0}, after};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

void on_signal(int signal) {
  stop_signal = signal;
  stop_requested = true;
  set_alarm(kPatience);
}

void on_alarm(int) {
  constexpr std::string_view kMessage = "visqerror: interrupted in the middle of a record, nothing written\n";
  remove_temporaries();
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(128 + stop_signal);
}

/// A mapped file whose end another program has cut off. There is no way back into the code that reads it.
void on_lost_page(int) {
  constexpr std::string_view kMessage = "visqerror: a file was cut short by another program while it was read\n";
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(kInputError);
}

}  // namespace

void catch_signals() {
  if (!ranks().several()) {  // ranks would stop at different records; their launcher ends them all
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
    std::signal(SIGALRM, on_alarm);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, on_lost_page);
}

const std::atomic<bool>& interrupted() { return stop_requested; }

int interruption_exit_code(std::string_view left) {
  set_alarm({0, 0});
  print_error("interrupted, " + std::string(left));
  return 128 + stop_signal;
}

}  // namespace visq::tool
