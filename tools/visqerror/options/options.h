// The options of one command: declared by it, explained by --help, man pages and completions, parsed by CLI11, which only options.cpp sees.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "visq/status.h"

namespace visq::tool {

/// An argument or option as it was declared.
class Option {
 public:
  Option& group(std::string name) {
    group_ = std::move(name);
    return *this;
  }
  /// One word may hold several values, joined by this.
  Option& separated_by(char separator) {
    separator_ = separator;
    return *this;
  }
  /// An argument that may be left out; what then stands for it.
  Option& usually(std::string what) {
    usual_ = std::move(what);
    return *this;
  }

  /// "-d", "--data"; of an argument "FP32".
  const std::vector<std::string>& names() const { return names_; }
  const std::string& group() const { return group_; }
  const std::string& usual() const { return usual_; }
  const std::string& placeholder() const { return placeholder_; }  ///< what stands for the value; empty: a flag, or an argument
  const std::string& description() const { return description_; }
  bool is_argument() const { return !names_.front().starts_with('-'); }
  bool repeats() const { return values_ != nullptr; }

 private:
  friend class Options;
  std::vector<std::string> names_;
  std::string placeholder_, description_, group_ = "Options", usual_;
  char separator_ = '\0';
  bool* flag_ = nullptr;  // one of the three
  std::string* value_ = nullptr;
  std::vector<std::string>* values_ = nullptr;
};

class Options {
 public:
  /// `name`: as the user calls the command, "visqerror compare". `summary`: one line.
  Options(std::string name, std::string_view summary);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  /// Targets must live until parse() was called; they keep what they hold where nothing was given. `names`: "-d,--data".
  Option& argument(std::string_view name, std::string& target, std::string_view description);
  Option& arguments(std::string_view name, std::vector<std::string>& target, std::string_view description);
  Option& flag(std::string_view names, bool& target, std::string_view description);
  Option& value(std::string_view names, std::string& target, std::string_view placeholder, std::string_view description);
  Option& values(std::string_view names, std::vector<std::string>& target, std::string_view placeholder, std::string_view description);
  /// Remarks and examples below the options.
  void footer(std::string_view text) { footer_ = text; }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::string& footer() const { return footer_; }
  /// In the order in which they were declared; --help stands first.
  const std::deque<Option>& all() const { return all_; }
  bool has(std::string_view name) const;
  /// Groups of options in the order of --help: what is special to the command first, the general options last.
  std::vector<std::string> groups() const;

  /// What a command line came to.
  struct Parsed {
    bool help = false;              ///< was asked for; nothing else was looked at
    std::vector<std::string> left;  ///< words that are neither options nor wanted arguments
  };
  /// Errors: kUsage, naming the option.
  Result<Parsed> parse(std::vector<std::string> words);

 private:
  Option& declare(std::string_view names, std::string_view placeholder, std::string_view description);

  std::string name_, summary_, footer_;
  std::deque<Option> all_;
  bool help_ = false;
};

}  // namespace visq::tool
