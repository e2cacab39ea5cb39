#include "visqerror/app/command_app.h"

#include <CLI/CLI.hpp>

#include "visqerror/app/help.h"

namespace visq::tool {

CommandApp make_app(const std::string& name, const CommandDef& command) {
  auto app = std::make_shared<CLI::App>(std::string(command.summary), name);
  app->formatter(help_formatter());
  app->set_help_flag("-h,--help", "print this help");
  app->option_defaults()->group("Options");
  app->allow_extras();
  std::function<int()> run = command.setup(*app);
  auto limits = std::make_shared<LimitOptions>();
  limits->add_to(*app);
  return {std::move(app), std::move(limits), std::move(run)};
}

}  // namespace visq::tool
