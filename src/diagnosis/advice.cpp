#include "diagnosis/advice.h"

#include <algorithm>

#include "kernels/op.h"
#include "kernels/stored_forms.h"

namespace visq::diagnosis {
namespace {

constexpr int kByte = 8;

/// Whether kernels take all operators that write 8 bits with 16, too.
bool all_take_wide_maps(const Subject& subject) {
  const auto& operators = subject.quantized().main().operators;
  return std::all_of(operators.begin(), operators.end(), [&](const Operator& op) {
    const bool narrow = std::any_of(op.outputs.begin(), op.outputs.end(), [&](int output) {
      const TensorInfo& tensor = subject.q().tensor(output);
      return tensor.quantization.quantized() && bits(tensor.dtype) <= kByte;
    });
    return !narrow || kernels::kind_of(op) == kernels::OpKind::kQuantize || kernels::takes_wide_maps(op);
  });
}

}  // namespace

std::string better_weights(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  bool few_bits = false, shared_scale = false;
  for (const PairedConstant& constant : subject.constants()) {
    const TensorInfo& tensor = subject.q().tensor(constant.tensor);
    if (constant.bias || tensor.shape.rank() < 2) continue;
    few_bits = few_bits || bits(tensor.dtype) < kByte;
    shared_scale = shared_scale || !tensor.quantization.per_channel();
  }
  if (few_bits) return "weights in 8 bits";
  return shared_scale ? "weights per channel" : "";
}

std::string better_maps(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  const bool coarse = std::any_of(symptoms.maps().begin(), symptoms.maps().end(),
                                  [&](const QuantizedMap& map) { return bits(subject.q().tensor(map.tensor).dtype) <= kByte; });
  if (!coarse) return "";
  return all_take_wide_maps(subject) ? "activations in 16 bits (int16x8)" : kSensitiveInFloat;
}

}  // namespace visq::diagnosis
