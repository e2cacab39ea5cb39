// SIGINT and SIGTERM end a run early, without partial output; SIGPIPE and SIGXFSZ are errors of
// write() instead of a sudden death.
#pragma once

#include <atomic>
#include <string_view>

namespace visq::tool {

/// Installs the handlers. The first signal ends the run after the record at hand, or within a second; the second of a kind at once.
void catch_signals();

/// Set once a signal has come; long work looks at it after each record.
const std::atomic<bool>& interrupted();

/// Says so, and what is left of the work, on stderr, and returns 130 (SIGINT) or 143 (SIGTERM).
int interruption_exit_code(std::string_view left = "nothing written");

}  // namespace visq::tool
