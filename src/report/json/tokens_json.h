// What both models say about the tokens that follow, in a comparison's JSON.
#pragma once

#include "report/json/json_text.h"
#include "visq/tokens.h"

namespace visq::report {

Json json_tokens(const TokenScores& scores);

}  // namespace visq::report
