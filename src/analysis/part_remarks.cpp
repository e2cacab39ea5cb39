#include "analysis/part_remarks.h"

#include <algorithm>

#include "core/error.h"

namespace visq::analysis {
namespace {

/// Operators whose weights are looked at.
constexpr std::size_t kWeightSample = 32;

}  // namespace

std::vector<std::string> part_remarks(const PartialModels& models) {
  std::vector<std::string> remarks;
  const std::size_t bodies = models.reference().subgraphs.size() - 1;
  if (bodies > 0) {
    remarks.push_back(fmt::format("only the main graph is quantized: {} subgraph{} that operators call stay{} float", bodies,
                                  bodies == 1 ? "" : "s", bodies == 1 ? "s" : ""));
  }
  auto cosines = quant::weight_similarities(models.reference(), models.quantized(), models.pairing().pairing, kWeightSample);
  if (cosines.empty()) return remarks;
  const auto middle = cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2);
  std::nth_element(cosines.begin(), middle, cosines.end());
  if (*middle < kOtherWeightsCosine) {
    remarks.push_back(
        fmt::format("the models have different weights (median cosine {:.2f}), as after retraining: a model with some of each "
                    "is neither of the two, and may be worse than both",
                    *middle));
  }
  return remarks;
}

}  // namespace visq::analysis
