// Models whose lists of tensors are not what their operators expect: made from sound ones, each wrong in one way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace visq::testing {

struct Variant {
  std::string name;   ///< "ring_1": what is wrong, and with which input
  std::string bytes;  ///< a TFLite file that the verifier accepts
};

/// Every way for every operator of the main graph and every input and output: without inputs, without outputs, fewer and more inputs, its
/// own output as each input and as one more, in a ring with a second operator, an absent index, the same tensor twice; and graphs without
/// inputs or outputs. Tensors that are read before they are made are variables, so that not merely their order is refused.
std::vector<Variant> operator_variants(std::string_view tflite);

}  // namespace visq::testing
