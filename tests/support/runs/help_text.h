// What --help tells of commands and options, for tests that hold something else against it.
#pragma once

#include <string>
#include <vector>

namespace visq::testing {

/// Names of the commands that `visqerror --help` lists.
std::vector<std::string> command_names();

struct HelpOption {
  std::vector<std::string> names;  ///< "-d", "--data"
  std::string placeholder;         ///< "PATH"; empty: a flag
};
std::vector<HelpOption> help_options(const std::string& command);

/// The lines below "Examples:", continued lines joined.
std::vector<std::string> help_examples(const std::string& command);

}  // namespace visq::testing
