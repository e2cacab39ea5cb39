#include "kernels/elementwise/fold_function.h"

namespace visq::kernels {

Result<std::optional<FoldFunction>> folding_body(const PrepareContext& context, std::int64_t subgraph) {
  struct Entry {
    std::string_view op;
    FoldFunction function;
  };
  static constexpr Entry kFolds[] = {
      {"ADD", FoldFunction::kAdd},         {"STABLEHLO_ADD", FoldFunction::kAdd},
      {"MUL", FoldFunction::kMultiply},    {"STABLEHLO_MULTIPLY", FoldFunction::kMultiply},
      {"MAXIMUM", FoldFunction::kMaximum}, {"STABLEHLO_MAXIMUM", FoldFunction::kMaximum},
      {"MINIMUM", FoldFunction::kMinimum}, {"STABLEHLO_MINIMUM", FoldFunction::kMinimum},
      {"LOGICAL_AND", FoldFunction::kAll}, {"STABLEHLO_AND", FoldFunction::kAll},
      {"LOGICAL_OR", FoldFunction::kAny},  {"STABLEHLO_OR", FoldFunction::kAny},
  };
  const Subgraph* body = context.called(subgraph);
  if (body == nullptr) return context.fail("its body, subgraph {}, does not exist", subgraph);
  if (body->operators.empty()) return std::optional<FoldFunction>();
  if (body->operators.size() != 1) {
    return context.unsupported("its body, subgraph {}, has {} operators, expected 1", subgraph, body->operators.size());
  }
  const std::string& op = body->operators[0].label();
  for (const Entry& entry : kFolds) {
    if (entry.op == op) return std::optional(entry.function);
  }
  return context.unsupported("cannot fold by {}", op);
}

}  // namespace visq::kernels
