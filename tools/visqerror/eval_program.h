// --eval: a program of the user's that judges a model's outputs.
#pragma once

#include <string>

#include "visq/status.h"

namespace visq::tool {

/// Runs `command` through the shell with `file` as its last argument, and reads the one number that it prints. Its stderr is ours.
/// Errors: kBadInput where it cannot be run, ends with another exit code than 0, or prints something else than one finite number.
Result<double> run_eval_program(const std::string& command, const std::string& file);

}  // namespace visq::tool
