#include "visqerror/terminal/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include "core/as_size.h"
#include "core/error.h"
#include "core/ranks.h"
#include "visqerror/terminal/message.h"

namespace visq::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes everything or returns the errno that stopped it.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(as_size(written));
  }
  return 0;
}

/// One line of the terminal, redrawn at most ten times a second and removed when done.
class Bar {
 public:
  explicit Bar(std::string_view unit) : unit_(unit) {}

  void update(std::int64_t done, std::int64_t total) {
    const auto now = Clock::now();
    if (done >= total) {
      if (drawn_) write_stderr("\r\x1b[K");
      drawn_ = false;
      return;
    }
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
    const double spent = std::chrono::duration<double>(now - start_).count();
    constexpr std::size_t kWidth = 30;
    std::string bar(kWidth, ' ');
    std::fill_n(bar.begin(), static_cast<std::ptrdiff_t>(share * kWidth), '#');
    const std::string rest = share > 0 ? fmt::format(", {} left", duration(spent / share - spent)) : "";
    write_stderr(fmt::format("\r\x1b[K[{}] {} of {} {}{}", bar, done, total, unit_, rest));
  }

  ~Bar() {
    if (drawn_) write_stderr("\r\x1b[K");
  }

 private:
  std::string unit_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  bool drawn_ = false;
};

}  // namespace

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Status write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw OutputClosed{};
  if (error != 0) return bad_input("standard output: cannot be written: {}", std::strerror(error));
  return {};
}

bool is_terminal(int descriptor) { return !ranks().launched() && ::isatty(descriptor) != 0; }

int terminal_columns() {
  winsize size{};
  if (!is_terminal(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void write_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }

void Console::warn(std::string_view message) const {
  if (!quiet_) write_stderr(fmt::format("visqerror: warning: {}\n", readable(message)));
}

std::string Console::next(std::string_view command) const { return quiet_ ? "" : fmt::format("Next: {}\n", command); }

void Console::note(std::string_view message) const {
  if (!quiet_) write_stderr(fmt::format("visqerror: {}\n", readable(message)));
}

void Console::log(std::string_view message) const {
  if (verbose_) write_stderr(fmt::format("visqerror: {}\n", readable(message)));
}

Progress Console::progress(std::string_view unit) const {
  if (quiet_ || !is_terminal(STDERR_FILENO)) return {};
  return [bar = std::make_shared<Bar>(unit)](std::int64_t done, std::int64_t total) { bar->update(done, total); };
}

}  // namespace visq::tool
