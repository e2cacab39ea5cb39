#include "visqerror/app/command_app.h"

namespace visq::tool {

CommandApp make_app(const std::string& name, const CommandDef& command) {
  auto options = std::make_shared<Options>(name, command.summary);
  std::function<int()> run = command.setup(*options);
  auto limits = std::make_shared<LimitOptions>();
  limits->add_to(*options);
  return {std::move(options), std::move(limits), std::move(run)};
}

}  // namespace visq::tool
