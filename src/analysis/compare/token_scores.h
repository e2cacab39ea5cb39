// What two models say about the tokens that follow, from their logits.
#pragma once

#include <span>
#include <vector>

#include "runtime/executor.h"
#include "visq/tokens.h"

namespace visq::analysis {

/// The two rows of logits that are compared, and what follows them (-1: nothing).
TokenScore score_token(std::span<const float> reference, std::span<const float> quantized, std::int64_t next);

/// Appends the scores of one record to `scores`. `reference` and `quantized` are the tensors of the logits. Errors: kBadInput where they
/// are no rows of logits, or a token is none of the vocabulary; kUnsupported where they were not computed.
Status score_tokens(const TokenTask& task, std::int64_t record, const runtime::Executor& reference, int reference_tensor,
                    const runtime::Executor& quantized, int quantized_tensor, std::vector<TokenScore>& scores);

}  // namespace visq::analysis
