#include "analysis/compare/token_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "metrics/divergence.h"

namespace visq {
namespace analysis {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// -ln of the softmax's element, by way of the largest logit so that no exponential overflows.
double loss_of(std::span<const float> logits, std::int64_t token) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum) - logits[as_size(token)];
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

TokenGuess guess_of(std::span<const float> logits, std::int64_t next) {
  const auto less = [](float a, float b) { return a < b || (std::isnan(a) && !std::isnan(b)); };  // NaN is nobody's best
  TokenGuess guess;
  guess.best = std::ranges::max_element(logits, less) - logits.begin();
  guess.loss = next >= 0 && all_finite(logits) ? loss_of(logits, next) : kUndefined;
  return guess;
}

double sqnr_of(std::span<const float> reference, std::span<const float> quantized) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double f = reference[i], difference = f - quantized[i];
    signal += f * f;
    noise += difference * difference;
  }
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

/// The rows of a record's logits.
Result<std::span<const float>> logits_of(const runtime::Executor& executor, int tensor, std::vector<float>& scratch) {
  const kernels::Tensor& map = executor.tensor(tensor);
  if (!executor.available(tensor)) return unsupported("'{}' was not computed", map.info->name);
  const float* values = real_values(map, scratch);
  if (values == nullptr || map.shape.rank() == 0 || map.shape.back() < 2) {
    return bad_input("--tokens: '{}' is {} of shape {}, no rows of logits", map.info->name, name(map.dtype), to_string(map.shape));
  }
  return std::span(values, as_size(map.elements()));
}

}  // namespace

TokenScore score_token(std::span<const float> reference, std::span<const float> quantized, std::int64_t next) {
  TokenScore score;
  score.next = next;
  score.reference = guess_of(reference, next);
  score.quantized = guess_of(quantized, next);
  metrics::PairStats stats;
  const auto size = static_cast<std::int64_t>(reference.size());
  const bool finite = all_finite(reference) && all_finite(quantized);
  if (finite) metrics::add_divergence(reference.data(), quantized.data(), size, size, stats);
  score.kl = finite ? stats.sum_kl : kUndefined;
  score.sqnr = finite ? sqnr_of(reference, quantized) : kUndefined;
  return score;
}

Status score_tokens(const TokenTask& task, std::int64_t record, const runtime::Executor& reference, int reference_tensor,
                    const runtime::Executor& quantized, int quantized_tensor, std::vector<TokenScore>& scores) {
  std::vector<float> f_scratch, q_scratch;
  VISQ_ASSIGN(const auto f, logits_of(reference, reference_tensor, f_scratch));
  VISQ_ASSIGN(const auto q, logits_of(quantized, quantized_tensor, q_scratch));
  const TensorInfo& info = *reference.tensor(reference_tensor).info;
  const std::int64_t vocabulary = reference.tensor(reference_tensor).shape.back();
  const std::int64_t rows = reference.tensor(reference_tensor).elements() / vocabulary;
  if (q.size() != f.size() || quantized.tensor(quantized_tensor).shape.back() != vocabulary) {
    return bad_input("--tokens: the models' logits '{}' differ in shape", info.name);
  }
  if (rows != 1 && rows != task.rows) return bad_input("--tokens: '{}' has {} rows for {} tokens", info.name, rows, task.rows);
  const std::int64_t calls = (task.part.last - task.part.first) / task.rows;
  const std::int64_t sequence = record / calls, end = task.part.first + (record % calls + 1) * task.rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t position = end - rows + row;
    const bool follows = position + 1 < task.sequences->length;
    const std::int64_t next = follows ? task.sequences->at(sequence, position + 1) : -1;
    if (next >= vocabulary) {
      return bad_input("{}: sequence {}, token {} is {}, but '{}' has {} logits", task.sequences->path, sequence, position + 1, next,
                       info.name, vocabulary);
    }
    const auto at = as_size(row * vocabulary), size = as_size(vocabulary);
    TokenScore& score = scores.emplace_back(score_token(f.subspan(at, size), q.subspan(at, size), next));
    score.sequence = sequence;
    score.position = position;
  }
  return {};
}

}  // namespace analysis

namespace {

/// The mean over the tokens for which there is a number; NaN where there is none.
template <class Number>
double mean_of(const std::vector<TokenScore>& tokens, Number number) {
  double sum = 0;
  std::int64_t count = 0;
  for (const TokenScore& token : tokens) {
    const double value = number(token);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double TokenScores::perplexity(TokenGuess TokenScore::*side) const {
  return std::exp(mean_of(tokens, [&](const TokenScore& token) { return (token.*side).loss; }));
}

double TokenScores::agreement() const {
  return mean_of(tokens, [](const TokenScore& token) { return token.reference.best == token.quantized.best ? 1.0 : 0.0; });
}

double TokenScores::mean_kl() const {
  return mean_of(tokens, [](const TokenScore& token) { return token.kl; });
}

}  // namespace visq
