#include "visq/mode.h"

#include <algorithm>

namespace visq {
namespace {

bool quantized_activation(const TensorInfo& tensor) {
  return !tensor.is_constant && is_integer(tensor.dtype) && tensor.quantization.quantized();
}

}  // namespace

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::kFp32:
      return "fp32";
    case Mode::kFakeQuant:
      return "fake-quant";
    case Mode::kInteger:
      return "integer";
  }
  return "";
}

Mode default_mode(const Model& model) {
  for (const Subgraph& graph : model.subgraphs) {
    if (std::any_of(graph.tensors.begin(), graph.tensors.end(), quantized_activation)) return Mode::kFakeQuant;
  }
  return Mode::kFp32;
}

}  // namespace visq
