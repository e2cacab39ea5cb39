#include "visqerror/options/limit_options.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "visq/limits.h"
#include "visqerror/options/shared_options.h"

namespace visq::tool {
namespace {

constexpr const char* kGroup = "Limits";

bool runs_models(const Options& options) { return options.has("--data"); }

}  // namespace

void LimitOptions::add_to(Options& options) {
  if (!runs_models(options)) return;
  options.value("--memory", memory, "SIZE", "refuse feature maps and data beyond this; default: 9/10 of what is free").group(kGroup);
  options.value("--max-input", input, "SIZE", "refuse larger inputs of a record; default: 1G").group(kGroup);
  options.value("--max-turns", turns, "N", "refuse loops that turn more often; default: 1000000").group(kGroup);
  options.value("--max-calls", calls, "N", "most places that call subgraphs; default: 65536").group(kGroup);
}

Status LimitOptions::apply() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
  Limits limits;
  VISQ_ASSIGN(limits.memory, parse_memory("--memory", memory));
  if (!input.empty()) {
    VISQ_ASSIGN(const std::uint64_t bytes, parse_memory("--max-input", input));
    limits.input = static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max()));
  }
  if (!turns.empty()) {
    VISQ_ASSIGN(limits.turns, parse_integer("--max-turns", turns, 1, kMost));
  }
  if (!calls.empty()) {
    VISQ_ASSIGN(limits.calls, parse_integer("--max-calls", calls, 1, kMost));
  }
  set_limits(limits);
  return {};
}

}  // namespace visq::tool
