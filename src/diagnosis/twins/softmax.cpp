// A softmax (or sigmoid) that only one of the models ends with.
#include <fmt/core.h>

#include "diagnosis/ends.h"
#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_softmax {
namespace {

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  const auto ends = different_ends(evidence.symptoms.subject());
  if (!ends) return std::nullopt;
  const OutputDamage& damage = evidence.damage;
  const std::string same = ends->output > 0 || damage.rows == 0
                               ? ""
                               : fmt::format(" (both have the same best class in {} of {} records)", damage.same_best, damage.rows);
  return GlobalRemark{
      "ends differ",
      fmt::format("only the {0} model ends with {1}, the other one before it: its output {2} holds what {1} reads (logits), the other's "
                  "what it makes (probabilities){3}. Compare logits with logits: end both models alike and convert again; where only the "
                  "order of the classes counts, this alone costs nothing",
                  ends->in_reference ? "float" : "quantized", ends->type, ends->output, same)};
}

constexpr TwinDef kTwin{"ends differ", 0, false, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_softmax
