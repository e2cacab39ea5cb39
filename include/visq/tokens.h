// Language models: tokens as test data, and what both models of a pair say about the tokens that follow. Each sequence is given, never
// sampled (teacher forcing), so that both models are asked the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"

namespace visq {

/// Sequences of tokens, all of one length.
struct TokenSequences {
  std::string path;
  std::int64_t count = 0, length = 0;
  std::vector<std::int64_t> tokens;  ///< one sequence after the other

  std::int64_t at(std::int64_t sequence, std::int64_t position) const {
    return tokens[static_cast<std::size_t>(sequence * length + position)];
  }
};

/// Reads a .npy file of integers: [tokens], or [sequences, tokens]. Errors: kBadInput naming the file; other types and shapes, no tokens,
/// negative ones.
Result<TokenSequences> load_tokens(const std::string& path);

/// Which graph inputs of a language model take what, as positions; -1: it has no such input.
struct TokenInputs {
  int tokens = -1;          ///< integers, [1, rows] or [rows]
  int positions = -1;       ///< of these tokens in the sequence, as many integers
  int mask = -1;            ///< [1, 1, rows, length]: bool, true where a row sees a position, or real numbers that are added to the scores
  std::vector<int> others;  ///< what else it takes: caches, which outputs feed
  std::int64_t rows = 0;    ///< tokens that one call takes
  std::int64_t length = 0;  ///< positions that the mask has; 0: no mask
};

/// Finds them by the names that generative exports give them: tokens, input_pos, mask. Names of the signature come before those of tensors.
/// Errors: kBadInput naming the model where there are no tokens, or an input of such a name is of another shape or type.
Result<TokenInputs> token_inputs(const Model& model);

/// The part [first, last) of every sequence, a whole number of calls.
struct TokenPart {
  std::int64_t first = 0, last = 0;
};

/// Records of one signature: call k of sequence s is record s * calls + k. The arrays of TokenInputs::others are empty. A mask lets every
/// token see itself and those before. Errors of reading: kBadInput where an input's type cannot hold a token.
std::unique_ptr<RecordSource> token_data(std::shared_ptr<const TokenSequences> sequences, const Model& model, const TokenInputs& inputs,
                                         TokenPart part);

/// What a comparison is to say about logits.
struct TokenTask {
  std::shared_ptr<const TokenSequences> sequences;
  TokenPart part;
  std::int64_t rows = 0;  ///< tokens of a record
  int output = -1;        ///< tensor of the reference's main subgraph: [1, rows, vocabulary], or the last row alone
};

/// What one model says about the token that follows.
struct TokenGuess {
  double loss = 0;        ///< -ln of its probability, in nats; NaN where nothing follows, or a logit is not finite
  std::int64_t best = 0;  ///< the token of the largest logit; of equal ones the first
};

/// One row of logits.
struct TokenScore {
  std::int64_t sequence = 0, position = 0;  ///< of the last token that the models had seen
  std::int64_t next = -1;                   ///< the token that follows; -1: the sequence ends
  TokenGuess reference, quantized;
  double kl = 0;    ///< divergence of the quantized model's distribution from the reference's, in nats
  double sqnr = 0;  ///< of the row of logits, in dB; infinite where both are the same
};

struct TokenScores {
  std::string output;           ///< name of the logits in the reference
  std::int64_t vocabulary = 0;  ///< logits of a row
  std::vector<TokenScore> tokens;

  /// exp of the mean loss over the tokens that have one; NaN where none has.
  double perplexity(TokenGuess TokenScore::*side) const;
  /// Share of the tokens for which both models' best is the same; NaN where there are none.
  double agreement() const;
  /// Mean KL divergence; NaN where there are no tokens.
  double mean_kl() const;
};

}  // namespace visq
