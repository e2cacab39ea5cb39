// The original visq's command line: its flags, without a command, keep working.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "visqerror/options/command.h"
#include "visqerror/options/options.h"

namespace visq::tool {

/// True where a word is one of the flags that only the original tool has.
bool has_legacy_flags(const std::vector<std::string>& words);

std::function<int()> setup_legacy(Options& options);

/// A command without a name.
inline constexpr CommandDef kOriginalFlags{
    .name = "",
    .summary = "The original visq's command line: errors of every node of a circle model and its quantized twin, one file per metric.",
    .setup = setup_legacy,
    .spreads = true};

}  // namespace visq::tool
