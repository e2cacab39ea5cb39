// A command with its options as CLI11 holds them: what is parsed, explained by --help, and retold by man pages and completions.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "visqerror/options/limit_options.h"
#include "visqerror/terminal/command.h"

namespace visq::tool {

struct CommandApp {
  std::shared_ptr<CLI::App> app;
  std::shared_ptr<LimitOptions> limits;  ///< to be applied then
  std::function<int()> run;              ///< once `app` has parsed the words
};

/// `name`: as the user calls it, "visqerror compare".
CommandApp make_app(const std::string& name, const CommandDef& command);

}  // namespace visq::tool
