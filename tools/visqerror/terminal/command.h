// A subcommand: its place on the command line and what it runs.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace visq::tool {

/// Documented exit codes.
enum ExitCode : int { kDone = 0, kConditionFailed = 1, kUsageError = 2, kInputError = 3, kIncomplete = 4, kFault = 5 };

/// One subcommand of the registry: `setup` adds options to its CLI11 sub-app and returns what to run once they are parsed.
struct CommandDef {
  std::string_view name;
  std::string_view summary;  ///< one line for `visqerror --help`
  std::function<int()> (*setup)(CLI::App& app);
  bool spreads = false;  ///< the ranks of an MPI job share its work
};

std::span<const CommandDef* const> all_commands();

}  // namespace visq::tool
