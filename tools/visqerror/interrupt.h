// SIGINT and SIGTERM end a run early, without partial output; SIGPIPE and SIGXFSZ are errors of
// write() instead of a sudden death.
#pragma once

#include <atomic>
#include <string_view>

namespace visq::tool {

/// Installs the handlers. The second signal of a kind ends the process at once.
void catch_signals();

/// Set once a signal has come; long work looks at it after each record.
const std::atomic<bool>& interrupted();

/// Says so, and what is left of the work, on stderr, and returns 130 (SIGINT) or 143 (SIGTERM).
int interruption_exit_code(std::string_view left = "nothing written");

}  // namespace visq::tool
