#include "analysis/trials/part_remarks.h"

#include "analysis/pairs/weight_likeness.h"
#include "core/error.h"

namespace visq::analysis {

std::vector<std::string> part_remarks(const PartialModels& models) {
  std::vector<std::string> remarks;
  const auto likeness = weight_likeness(models.reference(), models.quantized(), models.pairing().pairing);
  for (const std::string& line : {unrelated_weights(likeness, models.reference(), models.quantized()), retrained_weights(likeness)}) {
    if (!line.empty()) remarks.push_back(line);
  }
  const std::size_t bodies = models.reference().subgraphs.size() - 1;
  if (bodies > 0) {
    remarks.push_back(fmt::format("only the main graph is quantized: {} subgraph{} that operators call stay{} float", bodies,
                                  bodies == 1 ? "" : "s", bodies == 1 ? "s" : ""));
  }
  return remarks;
}

}  // namespace visq::analysis
