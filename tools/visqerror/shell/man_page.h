// The manual in roff, made from the commands and options themselves.
#pragma once

#include <string>
#include <string_view>

namespace visq::tool {

/// visqerror(1): commands, options that stand without one, the original tool's flags, exit codes.
std::string man_page();
/// visqerror-COMMAND(1). `command`: one of the registry.
std::string man_page(std::string_view command);

}  // namespace visq::tool
