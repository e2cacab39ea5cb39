#include "visqerror/shell/man_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "visqerror/app/help.h"
#include "visqerror/shell/command_tree.h"

namespace visq::tool {
namespace {

/// Text as roff takes it: no escapes, no requests, hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool starts_line = i == 0 || text[i - 1] == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else {
      out += c;
    }
  }
  return out;
}

std::string header(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".\\\" Made by: visqerror --man-page\n.TH {} 1 \"\" \"visqerror {}\" \"User commands\"\n", roff(upper), VISQ_VERSION);
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", roff(title)); }

/// A term and what it means.
std::string roff_entry(const std::string& roff_term, std::string_view meaning) {
  return fmt::format(".TP\n{}\n{}\n", roff_term, roff(meaning));
}

std::string option_term(const OptionInfo& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.placeholder.empty()) term += " \\fI" + roff(option.placeholder) + "\\fR";
  return term;
}

std::string options_by_group(const CommandInfo& command) {
  std::string text, group;
  for (const OptionInfo& option : command.options) {
    if (option.group != group) text += fmt::format(".SS \"{}\"\n", roff(option.group));
    group = option.group;
    text += roff_entry(option_term(option), option.description + (option.repeats ? "; may be repeated" : ""));
  }
  return text;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  bool fresh = true;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out += (fresh ? ".PP\n" : "") + roff(line) + "\n";
    fresh = line.empty();
  }
  return out;
}

std::string examples(const std::string& lines) { return section("EXAMPLES") + ".EX\n" + roff(lines) + ".EE\n"; }

std::string exit_status() {
  std::string text = section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes()) text += roff_entry("\\fB" + std::string(code) + "\\fR", meaning);
  return text;
}

std::string environment() {
  return section("ENVIRONMENT") +
         roff_entry("\\fBNO_COLOR\\fR",
                    "where it is set and not empty, terminals get no colours; files, pipes and terminals with TERM=dumb never do");
}

std::string synopsis(const std::string& usage) {
  std::string text;
  std::istringstream words(usage);
  for (std::string word; words >> word;) {
    const bool own = word == "visqerror" || (word.front() >= 'a' && word.front() <= 'z');
    text += (text.empty() ? "" : " ") + ((own ? "\\fB" : "\\fI") + roff(word) + "\\fR");
  }
  return text + "\n";
}

}  // namespace

std::string man_page() {
  const std::vector<CommandInfo> commands = command_tree();
  std::string text =
      header("visqerror") + section("NAME") + "visqerror \\- which layer of a quantized network lost the accuracy, and why\n";
  text += section("SYNOPSIS") + synopsis("visqerror COMMAND [arguments] [options]") + ".br\n" + synopsis("visqerror FP32 QUANT [options]");
  text += section("DESCRIPTION") + "\\fBvisqerror\\fR " + roff(kPurpose) +
          "\n.PP\nTwo models without a command mean \\fBcompare\\fR, on the terminal only.\n"
          "Results go to standard output or files; progress, warnings and errors to standard error.\n";
  text += section("COMMANDS");
  for (const CommandInfo& command : commands) {
    text += roff_entry("\\fB" + command.name + "\\fR", command.summary);
  }
  text += section("OPTIONS");
  for (const auto& [name, meaning] : general_options()) text += roff_entry("\\fB" + roff(name) + "\\fR", meaning);
  const CommandInfo original = original_flags();
  text += section("FLAGS OF THE ORIGINAL VISQ") + roff(original.summary) + "\n" + options_by_group(original);
  std::string lines;
  for (const std::string_view example : general_examples()) lines += std::string(example) + "\n";
  std::string see = section("SEE ALSO");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    see += fmt::format(".BR visqerror\\-{} (1){}\n", roff(commands[i].name), i + 1 < commands.size() ? "," : "");
  }
  return text + exit_status() + environment() + examples(lines + original.examples) + see;
}

std::string man_page(std::string_view name) {
  const std::vector<CommandInfo> commands = command_tree();
  const CommandInfo& command = *std::find_if(commands.begin(), commands.end(), [&](const CommandInfo& each) { return each.name == name; });
  const std::string page = "visqerror-" + command.name;
  std::string text = header(page) + section("NAME") + roff(page) + " \\- " + roff(command.summary) + "\n";
  text += section("SYNOPSIS") + synopsis(command.usage);
  if (!command.arguments.empty()) text += section("ARGUMENTS");
  for (const ArgumentInfo& argument : command.arguments) text += roff_entry("\\fI" + roff(argument.name) + "\\fR", argument.description);
  text += section("OPTIONS") + options_by_group(command);
  if (!command.remarks.empty()) text += section("NOTES") + paragraphs(command.remarks);
  return text + exit_status() + environment() + examples(command.examples) + section("SEE ALSO") + ".BR visqerror (1)\n";
}

}  // namespace visq::tool
