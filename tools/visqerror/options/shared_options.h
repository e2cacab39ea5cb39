// Options that several commands share, spelled and explained once. A command adds the groups that it understands.
#pragma once

#include <string>
#include <vector>

#include "visqerror/options/values.h"
#include "visqerror/terminal/console.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace visq::tool {

/// What test data to run on.
struct DataOptions {
  std::string path, records, seed = "0";

  /// `usual_records`: what the command takes where --records is not given, for --help.
  void add_to(CLI::App& app, const std::string& usual_records = "all");
};

/// Which nodes to look at.
struct SelectionOptions {
  std::vector<std::string> nodes, ops;

  void add_to(CLI::App& app);
};

/// How much to say.
struct ConsoleOptions {
  bool quiet = false, verbose = false;

  void add_to(CLI::App& app);
  Console console() const { return {quiet, verbose}; }
};

/// Adds an option with one value; `placeholder` stands for the value in --help.
CLI::Option* add_value(CLI::App& app, const std::string& names, std::string& target, const std::string& placeholder,
                       const std::string& description);
/// Adds an option with one value that may be repeated for more.
CLI::Option* add_values(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& placeholder,
                        const std::string& description);
/// Adds --post; see parse_post.
void add_post(CLI::App& app, std::string& target);
/// Adds --threads; parse_threads gives 0 (all cores) where it was not given.
void add_threads(CLI::App& app, std::string& target);
Result<int> parse_threads(const std::string& text);

}  // namespace visq::tool
