// Options that several commands share, spelled and explained once. A command adds the groups that it understands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/request.h"
#include "visqerror/options/options.h"
#include "visqerror/options/picture_options.h"
#include "visqerror/options/values.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// Adds --pair and --no-pair; see pair_rules().
void add_pairs(Options& options, PairWishes& wishes);

/// What test data to run on.
struct DataOptions {
  std::string path, records, seed = "0";
  PictureOptions pictures;
  PairWishes pairs;                                  ///< of commands that take a pair, which add_pairs() to their options
  std::shared_ptr<const std::vector<Record>> calls;  ///< in place of what the path names; see take_token_calls()
  std::string tokens;                                ///< the options that these come from

  /// `usual_records`: what the command takes where --records is not given, for --help.
  void add_to(Options& options, const std::string& usual_records = "all");
  /// The path, how its pictures are taken, and which maps belong together, as words of a command behind -d.
  std::string words() const;
  /// The same without the path; a space before each.
  std::string words_behind() const;
  /// The option that names the data, and words() behind it; "-d DATA" where there are none.
  std::string option() const;
};

/// Which nodes to look at.
struct SelectionOptions : NodeSelection {
  void add_to(Options& options);
};

/// How much to say.
struct ConsoleOptions {
  bool quiet = false, verbose = false;

  void add_to(Options& options);
  Console console() const { return {quiet, verbose}; }
};

/// Adds --post; see parse_post.
void add_post(Options& options, std::string& target);
/// Adds --threads; parse_threads gives 0 (all cores) where it was not given.
void add_threads(Options& options, std::string& target);
Result<int> parse_threads(const std::string& text);

}  // namespace visq::tool
