// Completion for zsh: one function per command, which hands its options to _arguments.
#include <fmt/core.h>

#include "core/joined.h"
#include "visqerror/shell/command_tree.h"
#include "visqerror/shell/completion.h"

namespace visq::tool {
namespace {

/// Inside single quotes, in a place where colons and brackets mean something.
std::string zsh_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string action(const OptionInfo& option) {
  const std::string words = joined(option.words, " ");
  switch (option.kind) {
    case ValueKind::kWords:
      return option.list ? fmt::format("_values -s , word {}", words) : fmt::format("({})", zsh_word(words));
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    default:
      return " ";
  }
}

/// '(-d --data)'{-d,--data}'[test data]:PATH:_files'
std::string specification(const OptionInfo& option) {
  std::string value = fmt::format("[{}]", zsh_word(gist(option)));
  if (option.kind != ValueKind::kNone) value += fmt::format(":{}:{}", zsh_word(option.placeholder), action(option));
  if (option.repeats) {
    std::string all;
    for (const std::string& name : option.names) all += fmt::format("{}'*{}{}'", all.empty() ? "" : " ", name, value);
    return all;
  }
  if (option.names.size() == 1) return fmt::format("'{}{}'", option.names[0], value);
  return fmt::format("'({})'{{{}}}'{}'", joined(option.names, " "), joined(option.names, ","), value);
}

std::string function(const CommandInfo& command) {
  std::string text = fmt::format("_visqerror_{}() {{\n  _arguments -S", command.name);
  for (const OptionInfo& option : command.options) text += " \\\n    " + specification(option);
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    text += fmt::format(" \\\n    '{}:{}:_files'", i + 1, zsh_word(command.arguments[i].name));
  }
  return text + "\n}\n\n";
}

}  // namespace

std::string zsh_completion() {
  std::string functions = function(without_command()), commands;
  for (const CommandInfo& command : command_tree()) {
    functions += function(command);
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_word(command.summary));
  }
  return fmt::format(
      "#compdef visqerror\n# Made by: visqerror --completion zsh\n\n{}"
      "_visqerror() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if (( CURRENT > 2 )) && (( $+functions[_visqerror_$words[2]] )); then\n"
      "    local command=$words[2]\n"
      "    shift words\n"
      "    (( CURRENT-- ))\n"
      "    _visqerror_$command\n"
      "    return\n"
      "  fi\n"
      "  (( CURRENT == 2 )) && _describe -t commands command commands\n"
      "  _visqerror_\n"
      "}}\n\n"
      "if [[ $funcstack[1] == _visqerror ]]; then\n"
      "  _visqerror \"$@\"\n"
      "else\n"
      "  compdef _visqerror visqerror\n"
      "fi\n",
      functions, commands);
}

}  // namespace visq::tool
