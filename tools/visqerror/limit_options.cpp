#include "visqerror/limit_options.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "core/error.h"
#include "visq/limits.h"
#include "visqerror/shared_options.h"

namespace visq::tool {
namespace {

constexpr const char* kGroup = "Limits";

bool runs_models(const CLI::App& app) { return app.get_option_no_throw("--data") != nullptr; }

}  // namespace

void LimitOptions::add_to(CLI::App& app) {
  if (!runs_models(app)) return;
  if (app.get_option_no_throw("--memory") == nullptr) {
    add_value(app, "--memory", memory, "SIZE", "refuse feature maps and data beyond this; default: 9/10 of what is free")->group(kGroup);
  }
  add_value(app, "--max-turns", turns, "N", "refuse loops that turn more often; default: 1000000")->group(kGroup);
}

Status LimitOptions::apply() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
  Limits limits;
  VISQ_ASSIGN(limits.memory, parse_memory("--memory", memory));
  if (!turns.empty()) {
    VISQ_ASSIGN(limits.turns, parse_integer("--max-turns", turns, 1, kMost));
  }
  set_limits(limits);
  return {};
}

}  // namespace visq::tool
