// What both models say about the tokens that follow, in a comparison's JSON.
#pragma once

#include "report/json/json_text.h"
#include "visq/tokens.h"

namespace visq::report {

/// Perplexity, divergence and agreement.
Json json_token_totals(const TokenScores& scores);
/// The same with every token's numbers.
Json json_tokens(const TokenScores& scores);

}  // namespace visq::report
