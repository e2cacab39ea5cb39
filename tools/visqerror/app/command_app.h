// A command with its options, ready to be parsed, explained by --help, and retold by man pages and completions.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "visqerror/options/command.h"
#include "visqerror/options/limit_options.h"

namespace visq::tool {

struct CommandApp {
  std::shared_ptr<Options> options;
  std::shared_ptr<LimitOptions> limits;  ///< to be applied then
  std::function<int()> run;              ///< once `options` have parsed the words
};

/// `name`: as the user calls it, "visqerror compare".
CommandApp make_app(const std::string& name, const CommandDef& command);

}  // namespace visq::tool
