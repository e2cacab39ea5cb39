// refused-by-litert: what the TFLite format can say, but LiteRT does not run, or takes for something else. Each rule was tried on
// LiteRT 2.3, with its reference and its optimized kernels; tests/converters/README.md says which converters write such models.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "core/error.h"
#include "model/slots.h"

namespace visq::analysis::check_refused_by_litert {
namespace {

constexpr std::size_t kWeights = 1, kTable = 1;

/// The tensor in an operator's slot; null where there is none.
const TensorInfo* in_slot(const CheckedGraph& graph, const Operator& op, std::size_t slot) {
  const int tensor = input_of(op, slot);
  return tensor == kNoTensor ? nullptr : &graph.lookup.tensor(tensor);
}

bool has_bits(const TensorInfo* tensor, int width) {
  return tensor != nullptr && is_integer(tensor->dtype) && bits(tensor->dtype) == width;
}

bool has_zero_point(const TensorInfo* tensor) {
  return tensor != nullptr && is_quantized(*tensor) &&
         std::ranges::any_of(tensor->quantization.zero_point, [](std::int64_t zero) { return zero != 0; });
}

bool shifted_table(const CheckedGraph& graph, const Operator& op) {
  return has_zero_point(in_slot(graph, op, kTable)) && output_of(op, 0) != kNoTensor &&
         graph.lookup.tensor(output_of(op, 0)).dtype == DType::kFloat32;
}
bool two_bit_weights(const CheckedGraph& graph, const Operator& op) { return has_bits(in_slot(graph, op, kWeights), 2); }
bool hybrid_four_bits(const CheckedGraph& graph, const Operator& op) {
  const TensorInfo* const input = in_slot(graph, op, 0);
  return has_bits(in_slot(graph, op, kWeights), 4) && input != nullptr && input->dtype == DType::kFloat32;
}
bool sixteen_bits(const CheckedGraph& graph, const Operator& op) { return has_bits(in_slot(graph, op, 0), 16); }

struct Rule {
  std::string_view op;
  bool (*applies)(const CheckedGraph& graph, const Operator& op);
  std::string_view text;
};

constexpr Rule kRules[] = {
    {"EMBEDDING_LOOKUP", shifted_table, "LiteRT refuses a table with a zero point other than 0"},
    {"CONV_2D", two_bit_weights, "LiteRT takes filters of 2 bits for bytes: what it computes has nothing to do with them"},
    {"DEPTHWISE_CONV_2D", two_bit_weights, "LiteRT refuses filters of 2 bits"},
    {"DEPTHWISE_CONV_2D", hybrid_four_bits, "LiteRT refuses filters of 4 bits beside a float input"},
    {"SQUARED_DIFFERENCE", sixteen_bits, "LiteRT has no kernel for int16"},
};

void run(const CheckContext& context, Findings& findings) {
  if (context.model.format != "tflite") return;
  for (const CheckedGraph& graph : context.graphs) {
    for (std::size_t node = 0; node < graph.graph().operators.size(); ++node) {
      const Operator& op = graph.graph().operators[node];
      for (const Rule& rule : kRules) {
        if (op.type != rule.op || !rule.applies(graph, op)) continue;
        findings.add(Severity::kError, graph, static_cast<int>(node), output_of(op, 0), std::string(rule.text));
      }
    }
  }
}

constexpr CheckDef kCheck{"refused-by-litert", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_refused_by_litert
