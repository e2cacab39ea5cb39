// Where the result of a command goes that has one set of files: a folder, JSON, the terminal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/format.h"
#include "visqerror/options/options.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// Output options as they stand on the command line.
struct ResultOutputOptions {
  std::string folder, json;

  /// `files`: what -o writes, for --help.
  void add_to(Options& options, const std::string& files);
};

class ResultOutputs {
 public:
  /// Checks, before the work begins, that every file can be written: `names` in the folder, --json, and `more` paths. None may be one of
  /// `inputs`. Errors: kUsage, kBadInput.
  static Result<std::unique_ptr<ResultOutputs>> prepare(const ResultOutputOptions& options, const std::vector<std::string>& names,
                                                        const std::vector<std::string>& inputs, const std::vector<std::string>& more = {});

  bool to_folder() const { return !folder_.empty(); }
  bool wants_json() const { return !json_.empty() || to_folder(); }
  const std::string& folder() const { return folder_; }

  /// Writes the files into the folder, where there is one, and the JSON where it was asked for, all or none; then `text` to stdout, or the
  /// JSON with --json -. `json` is not looked at unless wants_json(). `more`: files with places of their own, checked by prepare().
  Status write(const std::vector<OutputFile>& files, const std::string& json, const std::string& text, const Console& console,
               const std::vector<FileToWrite>& more = {});

 private:
  ResultOutputs() = default;
  std::string folder_, json_;
  OutputFolder made_;
};

/// Columns that text on stdout may take: those of the terminal, 80 where there is none.
std::size_t text_columns();

/// Whether stdout is a terminal that wants colours.
bool wants_color();

}  // namespace visq::tool
