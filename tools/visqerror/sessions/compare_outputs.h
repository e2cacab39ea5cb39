// Where the result of a comparison goes: terminal, folder, JSON, single formats.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/format.h"
#include "visqerror/options/options.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/sessions/comparison.h"

namespace visq::tool {

/// Output options of `compare` as they stand on the command line.
struct CompareOutputOptions {
  std::string folder, json, title, sort, colors, names;
  std::vector<std::string> write;

  void add_to(Options& options);
  /// The same, in files and folders of one signature's own. Errors: kUsage where there is no place for them.
  Result<CompareOutputOptions> of_signature(const std::string& signature) const;
};

class CompareOutputs {
 public:
  /// Parses the options and checks, before the work begins, that every file can be written and is no input: none of the request, and
  /// none of `more_inputs`. Errors: kUsage, kBadInput.
  static Result<std::unique_ptr<CompareOutputs>> prepare(const CompareOutputOptions& options, const PairRequest& request,
                                                         const std::vector<std::string>& more_inputs = {});

  /// Writes the files, all or none, then the summary (with --json -: the JSON) to stdout. Files for build servers hold the outcomes.
  Status write(const CompareResult& result, const std::vector<ConditionOutcome>& outcomes, const Console& console);

 private:
  /// A format, and where it goes: a folder for its own file names, or one file.
  struct Destination {
    const report::FormatDef* format;
    std::string folder, file;
  };

  CompareOutputs() = default;
  Status parse(const CompareOutputOptions& options, const std::vector<Metric>& metrics);
  Status parse_write(const std::string& text, const std::vector<Metric>& metrics);
  Status check_files(const PairRequest& request, const std::vector<std::string>& more_inputs);
  /// What the same command writes into its folder for the metrics that are not among those of the result.
  std::vector<FileToWrite> files_of_other_metrics(const CompareResult& result) const;
  /// The files of all formats. With an empty result (paths and metrics alone) their names are what will be written later.
  std::vector<FileToWrite> render(const CompareResult& result) const;

  std::string folder_, json_;
  std::string data_options_, more_options_, own_options_;  ///< for the next command
  Metric sort_ = Metric::kNone;
  ReportOptions report_;
  std::vector<Destination> destinations_;
  OutputFolder made_;
};

}  // namespace visq::tool
