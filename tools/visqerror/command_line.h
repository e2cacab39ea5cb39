// From the words of the command line to the command that runs.
#pragma once

#include <string>
#include <vector>

namespace visq::tool {

/// Finds the command (or the original tool's flags, or two models without a command), runs it and returns the exit code.
int run_command_line(const std::vector<std::string>& words);

}  // namespace visq::tool
