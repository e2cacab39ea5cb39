// Completion for fish: one line per option of every command.
#include <fmt/core.h>

#include "core/joined.h"
#include "visqerror/shell/command_tree.h"
#include "visqerror/shell/completion.h"

namespace visq::tool {
namespace {

std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string value(const OptionInfo& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kWords: {
      const std::string words = joined(option.words, " ");
      return " -x -a " + fish_word(option.list ? fmt::format("(__fish_append , {})", words) : words);
    }
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kText:
      return " -x";
  }
  return "";
}

std::string lines(const CommandInfo& command, const std::string& condition) {
  std::string text;
  for (const OptionInfo& option : command.options) {
    text += "complete -c visqerror -n " + fish_word(condition);
    for (const std::string& name : option.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += value(option) + " -d " + fish_word(gist(option)) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion() {
  std::string text = "# fish completion for visqerror, made by: visqerror --completion fish\n", all;
  for (const CommandInfo& command : command_tree()) {
    text += fmt::format("complete -c visqerror -n __fish_use_subcommand -a {} -d {}\n", command.name, fish_word(command.summary));
    text += lines(command, "__fish_seen_subcommand_from " + command.name);
    all += " " + command.name;
  }
  return text + lines(without_command(), "not __fish_seen_subcommand_from" + all);
}

}  // namespace visq::tool
