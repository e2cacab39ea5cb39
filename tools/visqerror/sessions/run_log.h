// What --verbose says of a run: memory before it, time per operator type behind it.
#pragma once

#include "visq/run_watch.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// Watches nothing without --verbose.
RunWatch watch_run(const Console& console);

}  // namespace visq::tool
