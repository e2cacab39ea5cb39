// The commands and options of the command line as plain values, for man pages and completions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace visq::tool {

/// What may stand behind an option.
enum class ValueKind : std::uint8_t {
  kNone,    ///< nothing: a flag
  kWords,   ///< one of `words`
  kFile,    ///< a file, or a folder taken as one
  kFolder,  ///< a folder
  kText,    ///< anything else
};

struct OptionInfo {
  std::vector<std::string> names;  ///< "-d", "--data"
  std::string placeholder{};       ///< "PATH"
  std::string description{}, group{};
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> words{};
  bool list = false;     ///< words are joined by commas
  bool repeats = false;  ///< may be given more than once
};

struct ArgumentInfo {
  std::string name, description;
};

struct CommandInfo {
  std::string name;      ///< empty: the original tool's flags
  std::string summary;   ///< one line
  std::string usage;     ///< "visqerror compare FP32 QUANT [options]"
  std::string remarks;   ///< paragraphs between options and examples
  std::string examples;  ///< lines, without indentation of the whole
  std::vector<ArgumentInfo> arguments;
  std::vector<OptionInfo> options;  ///< in the order of --help
};

/// The first clause of an option's description, for lists that a shell shows.
std::string gist(const OptionInfo& option);

/// All commands of the registry.
std::vector<CommandInfo> command_tree();
/// The flags that work without a command, as in the original tool.
CommandInfo original_flags();
/// All that may be typed where no command is given: the original tool's flags, what compare takes, and --version and its like.
CommandInfo without_command();

}  // namespace visq::tool
