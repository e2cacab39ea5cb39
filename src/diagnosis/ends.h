// What models end with: scores of one cannot be held against the probabilities of the other; and where they could end instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

/// A map with which the network could end: what comes behind it would be done outside, in float.
struct EarlierEnd {
  std::size_t output = 0;   ///< number among the compared outputs
  int map = 0;              ///< tensor of the quantized model
  bool spreads = false;     ///< what follows makes of it values of many sizes: EXP, a power; else it squashes them: LOGISTIC …
  std::string words;        ///< what follows
  std::vector<int> before;  ///< all maps that it is computed from
};

/// That of an output which EXP, a power (products of a map with itself) or an operator with a fixed grid makes; nothing for others.
std::optional<EarlierEnd> earlier_end(const Subject& subject, int quantized_output);

}  // namespace visq::diagnosis
