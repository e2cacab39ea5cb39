#include "visqerror/command_line.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/ranks.h"
#include "core/suggest.h"
#include "visqerror/app/command_app.h"
#include "visqerror/app/help.h"
#include "visqerror/app/legacy.h"
#include "visqerror/shell/completion.h"
#include "visqerror/shell/man_page.h"
#include "visqerror/terminal/console.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {

std::vector<const CommandDef*> command_all();  // generated from the files in commands/

namespace {

using Words = std::vector<std::string>;

const CommandDef* find_command(std::string_view name) {
  for (const CommandDef* command : all_commands()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

/// What was left over on the command line, with the option that was probably meant.
Error leftover(const Options& options, const std::string& word) {
  if (word.empty() || word.front() != '-') return usage_error("unexpected argument '{}'", word);
  const std::string name = word.substr(0, word.find('='));
  Words known{"--version", "--completion", "--man-page"};
  for (const Option& option : options.all()) {
    if (!option.is_argument()) known.insert(known.end(), option.names().begin(), option.names().end());
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string near = suggestion(name, candidates);
  const bool found = near.starts_with("; did");
  return usage_error("unknown option '{}'{}", name, found ? near : fmt::format("; see '{} --help'", options.name()));
}

/// Parses the words for one command and runs it.
Result<int> run_command(const CommandDef& command, Words words) {
  if (ranks().several() && !command.spreads) return usage_error("{}: does not share its work between the ranks of a job", command.name);
  const auto [options, limits, run] = make_app(command.name.empty() ? "visqerror" : "visqerror " + std::string(command.name), command);
  VISQ_ASSIGN(const Options::Parsed parsed, options->parse(std::move(words)));
  if (parsed.help) {
    VISQ_TRY(write_stdout(help(*options)));
    return static_cast<int>(kDone);
  }
  if (!parsed.left.empty()) return leftover(*options, parsed.left.front());
  VISQ_TRY(limits->apply());
  return run();
}

Words command_names() {
  Words names;
  for (const CommandDef* command : all_commands()) names.emplace_back(command->name);
  return names;
}

Error unknown_word(std::string_view what, const std::string& word, const Words& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return usage_error("{} '{}'{}", what, word, suggestion(word, candidates));
}

/// What packages are made of: `--completion SHELL`, `--man-page [COMMAND]`.
Result<std::string> shell_text(const Words& words) {
  const std::string subject = words.size() > 1 ? words[1] : "";
  if (words.size() > 2) return usage_error("unexpected argument '{}'", words[2]);
  if (words.front() == "--man-page") {
    if (subject.empty()) return man_page();
    if (find_command(subject) == nullptr) return unknown_word("--man-page: unknown command", subject, command_names());
    return man_page(subject);
  }
  if (subject.empty()) return usage_error("--completion needs a value");
  const auto script = completion(subject);
  if (!script) return unknown_word("--completion: unknown shell", subject, {"bash", "zsh", "fish"});
  return *script;
}

bool looks_like_a_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

Result<int> dispatch(const Words& words) {
  if (words.empty()) return usage_error("no command and no models given; see 'visqerror --help'");
  const std::string& first = words.front();
  if (first == "--completion" || first == "--man-page") {
    VISQ_ASSIGN(const std::string text, shell_text(words));
    VISQ_TRY(write_stdout(text));
    return static_cast<int>(kDone);
  }
  if (first == "--help" || first == "-h" || first == "--version") {
    VISQ_TRY(write_stdout(first == "--version" ? version_text() : general_help()));
    return static_cast<int>(kDone);
  }
  if (const CommandDef* command = find_command(first)) return run_command(*command, {words.begin() + 1, words.end()});
  if (has_legacy_flags(words)) return run_command(kOriginalFlags, words);
  if (first.starts_with('-') || looks_like_a_file(first)) return run_command(*find_command("compare"), words);
  return unknown_word("unknown command", first, command_names());
}

}  // namespace

std::span<const CommandDef* const> all_commands() {
  static const std::vector<const CommandDef*> commands = command_all();
  return commands;
}

int run_command_line(const Words& words) {
  catch_signals();
  return finish(dispatch(words));
}

}  // namespace visq::tool
