#include "visqerror/shell/command_tree.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string_view>

#include "report/words/text.h"
#include "visq/metrics.h"
#include "visq/mode.h"
#include "visq/ops.h"
#include "visqerror/app/command_app.h"
#include "visqerror/app/help.h"
#include "visqerror/app/legacy.h"

namespace visq::tool {
namespace {

using Words = std::vector<std::string>;

Words metrics() {
  Words words;
  for (const MetricInfo& metric : all_metrics()) words.emplace_back(metric.name);
  return words;
}

Words modes() { return {std::string(name(Mode::kFp32)), std::string(name(Mode::kFakeQuant)), std::string(name(Mode::kInteger))}; }

Words operators() {
  Words words;
  const auto ops = supported_ops({});
  if (!ops.ok()) return words;
  for (const SupportedOp& op : *ops) words.push_back(op.name);
  return words;
}

Words conditions() {
  Words words{"any:", "node:", "accuracy_drop="};
  for (const std::string& metric : metrics()) words.push_back(metric + "=");
  return words;
}

/// Options whose values are words that a registry knows, or a few fixed ones.
struct KnownWords {
  std::string_view option;
  Words (*words)();
};
constexpr KnownWords kKnown[] = {
    {"--mode", modes},
    {"--ref-mode", modes},
    {"--metrics", metrics},
    {"--sort", metrics},
    {"--ops", operators},
    {"--min", conditions},
    {"--max", conditions},
    {"--records",
     [] {
       return Words{"worst", "worst:"};
     }},
    {"--post",
     [] {
       return Words{"softmax", "sigmoid", "argmax"};
     }},
    {"--colors",
     [] {
       return Words{"linear", "log"};
     }},
    {"--preset", [] { return Words{"raw", "unit", "keras-tf", "keras-caffe", "keras-torch", "torchvision"}; }},
    {"--resize", [] { return Words{"input"}; }},
    {"--types", [] { return Words{"node", "node+output", "weight", "activation", "input-n", "all"}; }},
    {"--thresholds",
     [] {
       return Words{"mse=", "cosine=", "sqnr="};
     }},
    {"--target",
     [] {
       return Words{"sqnr=", "accuracy_drop="};
     }},
    {"--names",
     [] {
       return Words{"reference", "quantized"};
     }},
    {"--to",
     [] {
       return Words{"float32", "int16"};
     }},
};

/// "…; KIND: csv, dot" names its words itself, since they differ by command.
Words words_in_description(const std::string& description) {
  const std::string_view mark = "KIND: ";
  const auto begin = description.find(mark);
  if (begin == std::string::npos) return {};
  Words words;
  std::istringstream rest(description.substr(begin + mark.size()));
  for (std::string word; rest >> word;) {
    while (!word.empty() && (word.back() == ',' || word.back() == ';')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

Words words_in_placeholder(const std::string& placeholder) {
  if (placeholder.starts_with("tensorboard=")) return {"tensorboard="};
  const auto bar = placeholder.find('|');
  if (bar == std::string::npos || placeholder == "FILE|-") return {};
  return {placeholder.substr(0, bar), placeholder.substr(bar + 1)};
}

Words words_of(const OptionInfo& option) {
  const auto known =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const KnownWords& each) { return each.option == option.names.back(); });
  if (known != std::end(kKnown)) return known->words();
  if (Words words = words_in_description(option.description); !words.empty()) return words;
  return words_in_placeholder(option.placeholder);
}

ValueKind kind_of(const OptionInfo& option) {
  if (option.placeholder.empty()) return ValueKind::kNone;
  if (!option.words.empty()) return ValueKind::kWords;
  if (option.placeholder == "DIR") return ValueKind::kFolder;
  for (const char* file : {"FILE", "FILE|-", "PATH", "F.h5", "FIXED", "MODEL"}) {
    if (option.placeholder == file) return ValueKind::kFile;
  }
  return ValueKind::kText;
}

OptionInfo describe(const Option& option) {
  OptionInfo info;
  info.names = option.names();
  info.placeholder = option.placeholder();
  info.description = option.description();
  info.group = option.group();
  info.words = words_of(info);
  info.kind = kind_of(info);
  info.list = info.placeholder == "LIST";
  info.repeats = option.repeats();
  return info;
}

/// Remarks, and the lines below "Examples:" without their common indentation.
void split_footer(const std::string& footer, CommandInfo& info) {
  const auto title = std::min(footer.find("Examples:\n"), footer.find("Example:\n"));
  info.remarks = footer.substr(0, title);
  if (title == std::string::npos) return;
  std::istringstream lines(footer.substr(footer.find('\n', title) + 1));
  for (std::string line; std::getline(lines, line);) info.examples += (line.starts_with("  ") ? line.substr(2) : line) + "\n";
}

CommandInfo describe(const CommandDef& command) {
  const std::string name = command.name.empty() ? "visqerror" : "visqerror " + std::string(command.name);
  const CommandApp made = make_app(name, command);
  CommandInfo info;
  info.name = command.name;
  info.summary = command.summary;
  info.usage = usage(*made.options);
  for (const Option& option : made.options->all()) {
    if (option.is_argument()) info.arguments.push_back({option.names().front(), option.description()});
  }
  for (const std::string& group : made.options->groups()) {
    for (const Option& option : made.options->all()) {
      if (!option.is_argument() && option.group() == group) info.options.push_back(describe(option));
    }
  }
  split_footer(made.options->footer(), info);
  return info;
}

}  // namespace

std::string gist(const OptionInfo& option) {
  const std::string& text = option.description;
  return text.substr(0, std::min(text.find("; "), text.find(": ")));
}

std::vector<CommandInfo> command_tree() {
  std::vector<CommandInfo> commands;
  for (const CommandDef* command : all_commands()) commands.push_back(describe(*command));
  return commands;
}

CommandInfo original_flags() { return describe(kOriginalFlags); }

CommandInfo without_command() {
  CommandInfo bare = original_flags();
  OptionInfo manual{.names = {"--man-page"}, .placeholder = "COMMAND", .description = "print the manual page", .kind = ValueKind::kWords};
  const auto is_known = [&](const OptionInfo& option) {
    return std::any_of(bare.options.begin(), bare.options.end(),
                       [&](const OptionInfo& own) { return own.names.back() == option.names.back(); });
  };
  for (const CommandInfo& command : command_tree()) {
    manual.words.push_back(command.name);
    if (command.name != "compare") continue;
    bare.arguments = command.arguments;
    std::copy_if(command.options.begin(), command.options.end(), std::back_inserter(bare.options), std::not_fn(is_known));
  }
  bare.options.push_back({.names = {"--version"}, .description = "print version, libraries and CPU features"});
  bare.options.push_back({.names = {"--completion"},
                          .placeholder = "SHELL",
                          .description = "print what makes a shell complete words",
                          .kind = ValueKind::kWords,
                          .words = {"bash", "zsh", "fish"}});
  bare.options.push_back(std::move(manual));
  return bare;
}

}  // namespace visq::tool
