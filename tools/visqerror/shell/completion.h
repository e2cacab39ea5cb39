// What makes a shell complete commands, options, and the words that stand behind options: made from the commands themselves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace visq::tool {

/// The script for "bash", "zsh" or "fish"; nothing for other shells.
std::optional<std::string> completion(std::string_view shell);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace visq::tool
