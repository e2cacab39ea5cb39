// --tokens of commands that take records one by one: calls of a language model's last signature, each with the caches that the reference
// has there.
#pragma once

#include <string>

#include "visqerror/options/shared_options.h"
#include "visqerror/sessions/token_run.h"

namespace visq::tool {

/// Where --tokens is given: runs the reference over the sequences, and puts calls that stand alone, spread evenly, in place of the data;
/// `signature` becomes the one that they are of. Both models are then given the reference's caches: what they differ by is the error of
/// one call. Errors: those of TokenRun; kUsage where --data is given too.
Status take_token_calls(const TokenArguments& arguments, const std::string& reference, const std::string& quantized, std::string& signature,
                        DataOptions& data, const Console& console);

/// Refuses what does not go with --tokens, and --prompt without it. `others`: options and whether they are given.
Status check_tokens(const TokenArguments& arguments, std::initializer_list<std::pair<const char*, bool>> others);

}  // namespace visq::tool
