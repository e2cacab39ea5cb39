#include "analysis/facts/quantization_scheme.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "kernels/op.h"

namespace visq {
namespace {

/// How often something was seen, by element type.
using Tally = std::array<std::int64_t, kDTypeCount>;

std::int64_t& of(Tally& tally, DType type) { return tally[as_size(type)]; }

std::int64_t total(const Tally& tally) {
  std::int64_t sum = 0;
  for (const std::int64_t count : tally) sum += count;
  return sum;
}

/// The types of a tally, most frequent first: "int8", "int8 and int16".
std::string types_of(const Tally& tally) {
  std::vector<int> seen;
  for (int type = 0; type < kDTypeCount; ++type) {
    if (tally[as_size(type)] > 0) seen.push_back(type);
  }
  std::stable_sort(seen.begin(), seen.end(), [&](int a, int b) { return tally[as_size(a)] > tally[as_size(b)]; });
  std::string text;
  for (const int type : seen) {
    if (!text.empty()) text += " and ";
    text += name(static_cast<DType>(type));
  }
  return text;
}

/// What the operators of a model say about its quantization.
struct Evidence {
  Tally quantized_operators{}, float_operators{};
  Tally weights{};         ///< quantized constants of quantized operators, biases (int32, int64) left out
  Tally hybrid_weights{};  ///< quantized constants that float operators read
  Tally stored_weights{};  ///< quantized constants that a DEQUANTIZE unpacks
  bool float16_constants = false;
  bool per_channel = false;  ///< any quantized constant
  bool float_borders = false;

  void add(const Subgraph& graph, const Operator& op);
  void add_constant(const TensorInfo& tensor, Tally& tally);
};

bool is_quantized(const TensorInfo& tensor) { return tensor.quantization.quantized() || tensor.quantization.block_size > 0; }

bool is_bias(const TensorInfo& tensor) { return tensor.dtype == DType::kInt32 || tensor.dtype == DType::kInt64; }

void Evidence::add_constant(const TensorInfo& tensor, Tally& tally) {
  if (!tensor.is_constant || !is_quantized(tensor) || is_bias(tensor)) return;
  ++of(tally, tensor.dtype);
  per_channel = per_channel || tensor.quantization.per_channel();
}

void Evidence::add(const Subgraph& graph, const Operator& op) {
  const auto tensor = [&](int index) -> const TensorInfo& { return graph.tensors[as_size(index)]; };
  const auto quantized = std::find_if(op.outputs.begin(), op.outputs.end(), [&](int i) { return is_quantized(tensor(i)); });
  const auto real = std::find_if(op.outputs.begin(), op.outputs.end(), [&](int i) { return is_floating(tensor(i).dtype); });
  const bool unpacks = kernels::kind_of(op) == kernels::OpKind::kDequantize;
  const bool border = unpacks || kernels::kind_of(op) == kernels::OpKind::kQuantize;
  if (!border && quantized != op.outputs.end()) {
    ++of(quantized_operators, tensor(*quantized).dtype);
  } else if (!border && real != op.outputs.end()) {
    ++of(float_operators, tensor(*real).dtype);
  }
  Tally& constants = unpacks ? stored_weights : quantized != op.outputs.end() ? weights : hybrid_weights;
  for (const int input : op.inputs) {
    if (input < 0) continue;
    add_constant(tensor(input), constants);
    float16_constants = float16_constants || (tensor(input).is_constant && tensor(input).dtype == DType::kFloat16);
  }
}

Evidence gather(const Model& model) {
  Evidence evidence;
  for (const Subgraph& graph : model.subgraphs) {
    for (const Operator& op : graph.operators) evidence.add(graph, op);
  }
  const Subgraph& main = model.main();
  for (const auto* border : {&main.inputs, &main.outputs}) {
    for (const int index : *border) {
      if (is_floating(main.tensors[as_size(index)].dtype)) evidence.float_borders = true;
    }
  }
  return evidence;
}

std::string granularity(const Evidence& evidence) { return evidence.per_channel ? "per channel" : "per tensor"; }

/// "int16x8" for int16 activations with int8 weights, as its users call it.
std::string activation_types(const Evidence& evidence) {
  const std::string activations = types_of(evidence.quantized_operators);
  return activations == "int16" && evidence.weights[as_size(DType::kInt8)] > 0 ? "int16x8" : activations;
}

std::string of_constants(const Evidence& evidence) {
  std::vector<std::string> parts;
  if (total(evidence.hybrid_weights) > 0) {
    parts.push_back(fmt::format("dynamic range ({} weights, float activations)", types_of(evidence.hybrid_weights)));
  }
  if (total(evidence.stored_weights) > 0) {
    parts.push_back(fmt::format("weights only ({}, dequantized before use)", types_of(evidence.stored_weights)));
  }
  if (evidence.float16_constants) parts.emplace_back("float16 constants");
  return joined(parts, ", ");
}

}  // namespace

std::string quantization_scheme(const Model& model) {
  const Evidence evidence = gather(model);
  const std::int64_t quantized = total(evidence.quantized_operators);
  const std::int64_t real = total(evidence.float_operators);
  std::string constants = of_constants(evidence);
  if (quantized > 0 && real > 0) {
    const std::string others = constants.empty() ? "" : ", the rest " + constants;
    return fmt::format("partly quantized: {} of {} operators {}{}", quantized, quantized + real, activation_types(evidence), others);
  }
  if (quantized > 0) {
    return fmt::format("{} {}, {}", activation_types(evidence), granularity(evidence),
                       evidence.float_borders ? "float inputs and outputs" : "full integer");
  }
  if (!constants.empty()) return constants;
  if (real > 0) return types_of(evidence.float_operators);
  return "not quantized, no float operators";
}

bool has_hybrid_kernels(const Model& model) { return total(gather(model).hybrid_weights) > 0; }

}  // namespace visq
