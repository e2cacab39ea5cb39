// Which inputs and outputs of a model, or of both models of a pair, `--feed-back` names.
#pragma once

#include <vector>

#include "visq/sequence.h"

namespace visq::analysis {

struct SequenceLink {
  int input = 0;                     ///< position among the inputs of the model, which is that in a record
  int output = 0, twin_output = -1;  ///< tensors
};

/// One per entry of options.feed_back. Errors: those of fed_back_inputs.
Result<std::vector<SequenceLink>> sequence_links(const Model& model, const Model* twin, const SequenceOptions& options);

}  // namespace visq::analysis
