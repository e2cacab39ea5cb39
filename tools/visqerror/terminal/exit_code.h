// Exit codes and the one line that goes with each failure.
#pragma once

#include <string_view>

#include "visq/status.h"

namespace visq::tool {

/// Documented exit codes.
enum ExitCode : int { kDone = 0, kConditionFailed = 1, kUsageError = 2, kInputError = 3, kIncomplete = 4, kFault = 5 };

/// The documented exit code of a reason.
ExitCode exit_code(Reason reason);

/// `visqerror: MESSAGE` on stderr; what a terminal would obey (line breaks, escapes) is spelled out.
void print_error(std::string_view message);

/// Prints the error, if there is one, and returns the exit code to end with.
int finish(const Result<int>& outcome);

}  // namespace visq::tool
