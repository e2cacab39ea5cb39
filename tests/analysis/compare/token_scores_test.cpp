// What two rows of logits say about the token that follows, against closed forms.
#include "analysis/compare/token_scores.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace visq {
namespace {

using analysis::score_token;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(TokenScore, IsTheLogarithmOfTheNextTokensProbability) {
  const float third = std::log(3.0F);
  const std::vector<float> reference{0, third}, quantized{0, 0};  // probabilities 1/4 and 3/4, and twice 1/2
  const TokenScore score = score_token(reference, quantized, 1);
  EXPECT_NEAR(score.reference.loss, -std::log(0.75), 1e-7);
  EXPECT_NEAR(score.quantized.loss, std::log(2.0), 1e-12);
  EXPECT_EQ(score.reference.best, 1);
  EXPECT_EQ(score.quantized.best, 0) << "of equal ones the first";
  EXPECT_NEAR(score.kl, 0.25 * std::log(0.5) + 0.75 * std::log(1.5), 1e-7);
  EXPECT_NEAR(score.sqnr, 0, 1e-6) << "the noise is as large as the signal";
}

TEST(TokenScore, StandsLargeLogits) {
  const std::vector<float> logits{5000, 4000};
  const TokenScore score = score_token(logits, logits, 1);
  EXPECT_EQ(score.reference.loss, 1000);
  EXPECT_EQ(score.kl, 0);
  EXPECT_TRUE(std::isinf(score.sqnr));
}

TEST(TokenScore, HasNoLossWhereNothingFollows) {
  const std::vector<float> logits{1, 2};
  EXPECT_TRUE(std::isnan(score_token(logits, logits, -1).reference.loss));
  EXPECT_EQ(score_token(logits, logits, -1).reference.best, 1);
}

TEST(TokenScore, OfNonFiniteLogitsIsUndefinedOnThatSide) {
  const std::vector<float> reference{1, 2}, quantized{kNan, 2};
  const TokenScore score = score_token(reference, quantized, 0);
  EXPECT_FALSE(std::isnan(score.reference.loss));
  EXPECT_TRUE(std::isnan(score.quantized.loss));
  EXPECT_EQ(score.quantized.best, 1) << "NaN is nobody's best";
  EXPECT_TRUE(std::isnan(score.kl));
  EXPECT_TRUE(std::isnan(score.sqnr));
}

TEST(TokenScores, PerplexityIsOfTheTokensThatHaveALoss) {
  TokenScores scores;
  for (const double loss : {std::log(2.0), std::log(8.0), std::numeric_limits<double>::quiet_NaN()}) {
    TokenScore& token = scores.tokens.emplace_back();
    token.reference.loss = loss;
    token.quantized.loss = loss;
  }
  scores.tokens[2].quantized.best = 1;
  EXPECT_NEAR(scores.perplexity(&TokenScore::reference), 4, 1e-12);
  EXPECT_NEAR(scores.agreement(), 2.0 / 3, 1e-12);
  EXPECT_TRUE(std::isnan(TokenScores().perplexity(&TokenScore::quantized)));
  EXPECT_TRUE(std::isnan(TokenScores().agreement()));
}

}  // namespace
}  // namespace visq
