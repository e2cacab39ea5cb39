// A subcommand: its place on the command line and what it runs.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "visqerror/options/options.h"

namespace visq::tool {

/// One subcommand of the registry: `setup` declares its options and returns what to run once they are parsed.
struct CommandDef {
  std::string_view name;
  std::string_view summary;  ///< one line for `visqerror --help`
  std::function<int()> (*setup)(Options& options);
  bool spreads = false;  ///< the ranks of an MPI job share its work
};

std::span<const CommandDef* const> all_commands();

}  // namespace visq::tool
