// The look of --help: 80 columns, options first by group, examples last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visqerror/options/options.h"

namespace visq::tool {

/// A command's --help.
std::string help(const Options& options);

/// "visqerror compare FP32 QUANT [options]".
std::string usage(const Options& options);

/// What the tool is for, in a sentence; the options that stand instead of a command; examples; what exit codes mean.
extern const std::string_view kPurpose;
struct NamedText {
  std::string_view name, text;
};
const std::vector<NamedText>& general_options();
const std::vector<std::string_view>& general_examples();
const std::vector<NamedText>& exit_codes();

/// `visqerror --help`: what it is for, the commands of the registry, examples.
std::string general_help();

/// `visqerror --version`: version, libraries, CPU features and which of them are used.
std::string version_text();

}  // namespace visq::tool
