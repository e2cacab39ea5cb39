#include "report/json/tokens_json.h"

#include <cmath>

namespace visq::report {
namespace {

Json json_guess(const TokenGuess& guess) { return {{"loss", json_number(guess.loss)}, {"best", guess.best}}; }

/// No error at all is null, and says so.
void add_sqnr(Json& out, double sqnr) {
  out["sqnr"] = json_number(sqnr);
  if (!std::isfinite(sqnr)) out["state"] = std::isinf(sqnr) ? "inf" : "undefined";
}

Json json_token(const TokenScore& token) {
  Json out;
  out["sequence"] = token.sequence;
  out["position"] = token.position;
  out["next"] = token.next < 0 ? Json(nullptr) : Json(token.next);
  out["reference"] = json_guess(token.reference);
  out["quantized"] = json_guess(token.quantized);
  out["kl"] = json_number(token.kl);
  add_sqnr(out, token.sqnr);
  return out;
}

}  // namespace

Json json_token_totals(const TokenScores& scores) {
  Json out;
  out["output"] = json_string(scores.output);
  out["vocabulary"] = scores.vocabulary;
  out["count"] = scores.tokens.size();
  out["perplexity"] = {{"reference", json_number(scores.perplexity(&TokenScore::reference))},
                       {"quantized", json_number(scores.perplexity(&TokenScore::quantized))}};
  out["kl"] = json_number(scores.mean_kl());
  out["agreement"] = json_number(scores.agreement());
  return out;
}

Json json_tokens(const TokenScores& scores) {
  Json out = json_token_totals(scores);
  out["list"] = Json::array();
  for (const TokenScore& token : scores.tokens) out["list"].push_back(json_token(token));
  return out;
}

}  // namespace visq::report
