// `--write KIND[=FILE]` for configurations of quantizers: where each goes.
#pragma once

#include <string>
#include <vector>

#include "visq/quantizer_config.h"
#include "visqerror/outputs/output_files.h"

namespace visq::tool {

class ConfigOutputs {
 public:
  /// `words` as on the command line; a kind without a file goes into `folder`. Errors: kUsage for an unknown kind, or without a place.
  static Result<ConfigOutputs> parse(const std::vector<std::string>& words, const std::string& folder);

  /// "mpq, aeq …", for --help.
  static std::string kinds();
  bool empty() const { return destinations_.empty(); }
  std::vector<std::string> paths() const;
  Result<std::vector<FileToWrite>> files(const QuantizerConfig& config) const;

 private:
  struct Destination {
    std::string kind, path;
  };
  std::vector<Destination> destinations_;
};

}  // namespace visq::tool
