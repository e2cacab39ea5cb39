#include "visqerror/options/options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "core/error.h"
#include "core/joined.h"

namespace visq::tool {
namespace {

/// CLI11's account of a wrong option, in the words that all our messages use.
std::string explain(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (error.get_name() != "ArgumentMismatch") return text;
  const std::string option = text.substr(0, text.find(':'));
  return option + (text.find("missing") != std::string::npos ? " needs a value" : " is given more than once");
}

}  // namespace

Options::Options(std::string name, std::string_view summary) : name_(std::move(name)), summary_(summary) {
  flag("-h,--help", help_, "print this help");
}

Option& Options::declare(std::string_view names, std::string_view placeholder, std::string_view description) {
  Option& option = all_.emplace_back();
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    option.names_.emplace_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  option.placeholder_ = placeholder;
  option.description_ = description;
  return option;
}

Option& Options::argument(std::string_view name, std::string& target, std::string_view description) {
  Option& option = declare(name, "", description);
  option.value_ = &target;
  return option;
}

Option& Options::arguments(std::string_view name, std::vector<std::string>& target, std::string_view description) {
  Option& option = declare(name, "", description);
  option.values_ = &target;
  return option;
}

Option& Options::flag(std::string_view names, bool& target, std::string_view description) {
  Option& option = declare(names, "", description);
  option.flag_ = &target;
  return option;
}

Option& Options::value(std::string_view names, std::string& target, std::string_view placeholder, std::string_view description) {
  Option& option = declare(names, placeholder, description);
  option.value_ = &target;
  return option;
}

Option& Options::values(std::string_view names, std::vector<std::string>& target, std::string_view placeholder,
                        std::string_view description) {
  Option& option = declare(names, placeholder, description);
  option.values_ = &target;
  return option;
}

bool Options::has(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Option& option) {
    return std::find(option.names_.begin(), option.names_.end(), name) != option.names_.end();
  });
}

std::vector<std::string> Options::groups() const {
  std::vector<std::string> names;
  for (const Option& option : all_) {
    if (!option.is_argument() && std::find(names.begin(), names.end(), option.group_) == names.end()) names.push_back(option.group_);
  }
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name != "Options"; });
  return names;
}

Result<Options::Parsed> Options::parse(std::vector<std::string> words) {
  CLI::App app(summary_, name_);
  app.set_help_flag();  // it is one of ours
  app.allow_extras();
  for (const Option& option : all_) {
    const std::string names = joined(option.names_, ",");
    if (option.flag_ != nullptr) app.add_flag(names, *option.flag_);
    if (option.value_ != nullptr) app.add_option(names, *option.value_);
    if (option.values_ == nullptr) continue;
    CLI::Option* list = app.add_option(names, *option.values_);
    if (!option.is_argument()) list->allow_extra_args(false);
    if (option.separator_ != '\0') list->delimiter(option.separator_);
  }
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (!help_) return usage_error("{}", explain(error));
  }
  return Parsed{help_, app.remaining()};
}

}  // namespace visq::tool
