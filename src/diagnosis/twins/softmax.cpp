// A softmax (or sigmoid) that only one of the models ends with.
#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/whole/twins.h"
#include "model/slots.h"

namespace visq::diagnosis::twin_softmax {
namespace {

/// The squashing operator that makes an output, behind QUANTIZE and DEQUANTIZE; empty: none does.
std::string_view squashing(const quant::GraphIndex& graph, int output) {
  const int maker = graph.maker(graph.origin(output));
  if (maker < 0) return {};
  const std::string_view type = graph.op(maker).type;
  return type == "SOFTMAX" || type == "LOGISTIC" ? type : std::string_view{};
}

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const auto &f = evidence.reference().main().outputs, &q = evidence.quantized().main().outputs;
  for (std::size_t i = 0; i < std::min(f.size(), q.size()); ++i) {
    const int partner = evidence.symptoms.subject().reference_of(q[i]);
    const int output = std::find(f.begin(), f.end(), partner) != f.end() ? partner : f[i];  // the same output, wherever it stands
    const std::string_view ours = squashing(evidence.r(), output), theirs = squashing(evidence.q(), q[i]);
    if (ours.empty() == theirs.empty()) continue;
    if (evidence.r().tensor(output).shape.elements() != evidence.q().tensor(q[i]).shape.elements()) continue;
    const Answers& answers = evidence.answers;
    const std::string same = i > 0 || answers.records == 0
                                 ? ""
                                 : fmt::format(" (both have the same best class in {} of {} records)", answers.same, answers.records);
    return GlobalRemark{
        "ends differ",
        fmt::format("only the {} model ends with {}, the other one before it: its output {} holds logits where the other's holds "
                    "probabilities{}. Compare logits with logits: end both models alike and convert anew; where only the order of "
                    "the classes counts, this alone costs nothing",
                    ours.empty() ? "quantized" : "float", ours.empty() ? theirs : ours, i, same)};
  }
  return std::nullopt;
}

constexpr TwinDef kTwin{"ends differ", 0, false, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_softmax
