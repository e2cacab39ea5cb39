// --memory, --max-input, --max-turns and --max-calls: what a run may take of the machine.
#pragma once

#include <string>

#include "visq/status.h"
#include "visqerror/options/options.h"

namespace visq::tool {

/// Options of every command that runs models, added behind those of its own.
struct LimitOptions {
  std::string memory, input, turns, calls;

  void add_to(Options& options);
  /// Sets the limits of the process. Errors: kUsage.
  Status apply() const;
};

}  // namespace visq::tool
