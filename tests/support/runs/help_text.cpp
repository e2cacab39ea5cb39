#include "support/runs/help_text.h"

#include <algorithm>
#include <sstream>

#include "support/runs/process.h"

namespace visq::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> help_lines(const std::string& command) { return lines_of(run_tool({command, "--help"}).out); }

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : lines_of(run_tool({"--help"}).out)) {
    if (line == "Commands:") inside = true;
    if (line.empty()) inside = false;
    if (inside && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

std::vector<HelpOption> help_options(const std::string& command) {
  std::vector<HelpOption> options;
  for (const std::string& line : help_lines(command)) {
    if (!line.starts_with("  -")) continue;
    HelpOption option;
    std::istringstream words(line.substr(2, line.find("  ", 2) - 2));
    for (std::string word; words >> word;) {
      if (!word.starts_with('-')) {
        option.placeholder = word;
      } else {
        option.names.push_back(word.back() == ',' ? word.substr(0, word.size() - 1) : word);
      }
    }
    options.push_back(option);
  }
  return options;
}

std::vector<std::string> help_examples(const std::string& command) {
  const std::vector<std::string> lines = help_lines(command);
  auto line = std::find_if(lines.begin(), lines.end(), [](const std::string& each) { return each == "Examples:" || each == "Example:"; });
  std::vector<std::string> examples;
  bool goes_on = false;
  for (; line != lines.end(); ++line) {
    if (!line->starts_with("  ")) continue;
    const std::string text = line->substr(line->find_first_not_of(' '));
    const std::string part = text.ends_with(" \\") ? text.substr(0, text.size() - 1) : text;
    goes_on ? examples.back() += part : examples.emplace_back(part);
    goes_on = part.size() < text.size();
  }
  return examples;
}

}  // namespace visq::testing
