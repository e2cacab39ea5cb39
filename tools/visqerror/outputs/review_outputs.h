// `--write KIND[=FILE]` of commands whose results are findings: the formats that build servers, code hosts and graph viewers read.
#pragma once

#include <string>
#include <vector>

#include "report/format.h"
#include "visqerror/options/options.h"
#include "visqerror/outputs/output_files.h"

namespace visq::tool {

/// Whether node data for a graph viewer bear the quantized model's names. Errors: kUsage.
Result<bool> parse_names(const std::string& text);

/// As they stand on the command line.
struct ReviewOutputOptions {
  std::vector<std::string> write;
  std::string title, names;

  /// `pair`: there are two models, whose names --names chooses between.
  void add_to(Options& options, bool pair);
};

class ReviewOutputs {
 public:
  /// A kind without a file goes into `folder`, or here where there is none. Errors: kUsage.
  static Result<ReviewOutputs> parse(const ReviewOutputOptions& options, const std::string& folder);

  const ReportOptions& options() const { return options_; }
  bool empty() const { return destinations_.empty(); }
  std::vector<FileToWrite> files(const report::Review& review) const;
  /// Where they go, as an empty result tells already.
  std::vector<std::string> paths(const report::Review& review) const;

 private:
  struct Destination {
    const report::FormatDef* format;
    std::string folder, file;
  };
  std::vector<Destination> destinations_;
  ReportOptions options_;
};

}  // namespace visq::tool
