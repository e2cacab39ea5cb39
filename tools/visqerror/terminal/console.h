// What reaches the user's screen: results on stdout, everything else on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "visq/run.h"

namespace visq::tool {

/// Thrown when stdout's reader has gone: it ends the run with exit code 0, from wherever output is written.
struct OutputClosed {};

/// Writes all of the text to stdout. Errors: kBadInput with the system's reason (a full disk); throws OutputClosed on a closed pipe.
Status write_stdout(std::string_view text);

/// Columns of the terminal that stdout is; 0 where it is none, or does not say.
int terminal_columns();
/// Whether somebody sits before it: launchers of MPI jobs give ranks terminals that nobody sees.
bool is_terminal(int descriptor);

/// Writes to stderr and does not mind if that fails.
void write_stderr(std::string_view text);

/// A time as people say it: "40 s", "2 min 05 s", "1 h 10 min".
std::string duration(double seconds);

/// Warnings, hints and progress, as far as the user wants them.
class Console {
 public:
  Console(bool quiet, bool verbose) : quiet_(quiet), verbose_(verbose) {}

  void warn(std::string_view message) const;         ///< `visqerror: warning: MESSAGE`, unless --quiet
  std::string next(std::string_view command) const;  ///< the line that ends a command, "Next: COMMAND"; empty with --quiet
  void note(std::string_view message) const;         ///< `visqerror: MESSAGE`, unless --quiet
  void log(std::string_view message) const;          ///< with --verbose only
  bool quiet() const { return quiet_; }
  bool verbose() const { return verbose_; }

  /// A bar with the remaining time where stderr is a terminal and --quiet was not given; otherwise empty.
  Progress progress(std::string_view unit) const;

 private:
  bool quiet_, verbose_;
};

}  // namespace visq::tool
