#include "analysis/part_remarks.h"

#include "core/error.h"
#include "visq/check.h"

namespace visq::analysis {
namespace {

constexpr std::string_view kWrongWeights = "wrong-weights";

/// What check finds about the weights: of the network as a whole, or of single layers.
std::string about_weights(const CheckResult& found) {
  std::size_t layers = 0;
  for (const StructureFinding& finding : found.findings) {
    if (finding.kind != kWrongWeights) continue;
    if (finding.node < 0) return finding.text;
    ++layers;
  }
  if (layers == 0) return {};
  return fmt::format("the weights of {} layer{} are not the reference's rounded ones (see check)", layers, layers == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> part_remarks(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized) {
  std::vector<std::string> remarks;
  const std::size_t bodies = reference->subgraphs.size() - 1;
  if (bodies > 0) {
    remarks.push_back(fmt::format("only the main graph is quantized: {} subgraph{} that operators call stay{} float", bodies,
                                  bodies == 1 ? "" : "s", bodies == 1 ? "s" : ""));
  }
  const auto found = check(reference, quantized);
  const std::string weights = found.ok() ? about_weights(*found) : "";
  if (!weights.empty())
    remarks.push_back(weights + "; a model with some weights of each is neither of the two, and may be worse than both");
  return remarks;
}

}  // namespace visq::analysis
