#include "visqerror/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"
#include "visqerror/command.h"
#include "visqerror/console.h"
#include "visqerror/exit_code.h"
#include "visqerror/help.h"
#include "visqerror/interrupt.h"
#include "visqerror/legacy.h"
#include "visqerror/limit_options.h"

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

/// CLI11's account of a wrong option, in the words that all our messages use.
std::string explain(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (error.get_name() != "ArgumentMismatch") return text;
  const std::string option = text.substr(0, text.find(':'));
  return option + (text.find("missing") != std::string::npos ? " needs a value" : " is given more than once");
}

/// What was left over on the command line, with the option that was probably meant.
Error leftover(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() != '-') return usage_error("unexpected argument '{}'", word);
  const std::string name = word.substr(0, word.find('='));
  Words known{"--version"};
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& letter : option->get_snames()) known.push_back("-" + letter);
    for (const auto& longer : option->get_lnames()) known.push_back("--" + longer);
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string near = suggestion(name, candidates);
  const bool found = near.starts_with("; did");
  return usage_error("unknown option '{}'{}", name, found ? near : fmt::format("; see '{} --help'", app.get_name()));
}

/// Parses the words for one command and runs it.
template <class Setup>
Result<int> parse_and_run(const std::string& name, std::string_view summary, const Setup& setup, Words words) {
  CLI::App app(std::string(summary), name);
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help", "print this help");
  app.option_defaults()->group("Options");
  app.allow_extras();
  const std::function<int()> run = setup(app);
  LimitOptions limits;
  limits.add_to(app);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    VISQ_TRY(write_stdout(app.help()));
    return static_cast<int>(kDone);
  } catch (const CLI::ParseError& error) {
    return usage_error("{}", explain(error));
  }
  if (!app.remaining().empty()) return leftover(app, app.remaining().front());
  VISQ_TRY(limits.apply());
  return run();
}

Result<int> run_command(const CommandDef& command, Words words) {
  return parse_and_run("visqerror " + std::string(command.name), command.summary, command.setup, std::move(words));
}

bool looks_like_a_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

Result<int> dispatch(const Words& words) {
  if (words.empty()) return usage_error("no command and no models given; see 'visqerror --help'");
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "--version") {
    VISQ_TRY(write_stdout(first == "--version" ? version_text() : general_help()));
    return static_cast<int>(kDone);
  }
  if (const CommandDef* command = find_command(first)) return run_command(*command, {words.begin() + 1, words.end()});
  if (has_legacy_flags(words)) return parse_and_run("visqerror", kLegacySummary, setup_legacy, words);
  if (first.starts_with('-') || looks_like_a_file(first)) return run_command(*find_command("compare"), words);
  std::vector<std::string_view> names;
  for (const CommandDef* command : all_commands()) names.push_back(command->name);
  return usage_error("unknown command '{}'{}", first, suggestion(first, names));
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
