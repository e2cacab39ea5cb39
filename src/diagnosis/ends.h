// What models end with: scores of one cannot be held against the probabilities of the other.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/subject.h"

namespace visq::diagnosis {

/// An output before which only one of the models has a SOFTMAX, LOGISTIC or the like.
struct DifferentEnds {
  std::string type;           ///< of that operator
  bool in_reference = false;  ///< the float model has it
  std::size_t output = 0;     ///< number of the quantized model's output
};

/// The first such output; of outputs without a counterpart, that which stands at the same place and has as many elements is taken for it.
std::optional<DifferentEnds> different_ends(const Subject& subject);

}  // namespace visq::diagnosis
