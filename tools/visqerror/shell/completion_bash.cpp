// Completion for bash: tables of options and values, and the function that looks into them.
#include <fmt/core.h>

#include "core/joined.h"
#include "visqerror/shell/command_tree.h"
#include "visqerror/shell/completion.h"

namespace visq::tool {

std::string_view completion_bash();  // the file completion.bash

namespace {

constexpr std::string_view kHead = R"(# bash completion for visqerror, made by: visqerror --completion bash

)";

std::string value_words(const OptionInfo& option) {
  switch (option.kind) {
    case ValueKind::kWords:
      return joined(option.words, " ");
    case ValueKind::kFile:
      return "<file>";
    case ValueKind::kFolder:
      return "<folder>";
    default:
      return "<text>";
  }
}

struct Tables {
  std::string commands, options, values;

  void add(const CommandInfo& command) {
    std::string all;
    for (const OptionInfo& option : command.options) {
      all += fmt::format("{}{}", all.empty() ? "" : " ", joined(option.names, " "));
      if (option.kind == ValueKind::kNone) continue;
      std::string patterns;
      for (const std::string& name : option.names) patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", command.name, name);
      values += fmt::format("    {}) echo '{}' ;;\n", patterns, value_words(option));
    }
    options += fmt::format("    '{}') echo '{}' ;;\n", command.name, all);
    commands += (commands.empty() || command.name.empty() ? "" : " ") + command.name;
  }
};

}  // namespace

std::string bash_completion() {
  Tables tables;
  for (const CommandInfo& command : command_tree()) tables.add(command);
  tables.add(without_command());
  return fmt::format(
      "{}_visqerror_commands() {{\n  echo '{}'\n}}\n\n"
      "_visqerror_options() {{\n  case $1 in\n{}  esac\n}}\n\n"
      "# <file>, <folder>, <text>, or words; nothing behind a flag\n"
      "_visqerror_values() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n\n{}",
      kHead, tables.commands, tables.options, tables.values, completion_bash());
}

}  // namespace visq::tool
