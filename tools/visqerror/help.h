// The look of --help: 80 columns, options first by group, examples last.
#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}

namespace visq::tool {

/// Formatter of a command's --help.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// `visqerror --help`: what it is for, the commands of the registry, examples.
std::string general_help();

/// `visqerror --version`: version, kernel libraries, CPU features.
std::string version_text();

}  // namespace visq::tool
