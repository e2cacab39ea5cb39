// --eval: a program of the user's that judges a model's outputs.
#pragma once

#include <functional>
#include <string>

#include "visq/mode.h"
#include "visq/run.h"
#include "visq/status.h"

namespace visq::tool {

/// Runs `command` through the shell with `file` as its last argument, and reads the one number that it prints. Its stderr is ours.
/// Errors: kBadInput where it cannot be run, ends with another exit code than 0, or prints something else than one finite number.
Result<double> run_eval_program(const std::string& command, const std::string& file);

/// Writes what `send` gives into a file that lasts as long as the program runs, and reads the program's number. `model` and `mode` are what
/// the file says that its outputs are of. Errors: those of `send` and of run_eval_program().
Result<double> judge_outputs(const std::string& command, const std::string& model, Mode mode,
                             const std::function<Status(MapSink& sink)>& send);

}  // namespace visq::tool
