// The original visq's command line: its flags, without a command, keep working.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace visq::tool {

inline constexpr std::string_view kLegacySummary =
    "The original visq's command line: errors of every node of a circle model and its quantized twin, one file per metric.";

/// True where a word is one of the flags that only the original tool has.
bool has_legacy_flags(const std::vector<std::string>& words);

std::function<int()> setup_legacy(CLI::App& app);

}  // namespace visq::tool
