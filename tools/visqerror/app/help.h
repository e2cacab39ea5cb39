// The look of --help: 80 columns, options first by group, examples last.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace visq::tool {

/// Formatter of a command's --help.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// "visqerror compare FP32 QUANT [options]".
std::string usage(const CLI::App& app);
/// Groups of options in the order of --help: what is special to the command first, the general options last.
std::vector<std::string> option_groups(const CLI::App& app);

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
