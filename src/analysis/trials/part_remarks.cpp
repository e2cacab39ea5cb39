#include "analysis/trials/part_remarks.h"

#include "analysis/pairs/weight_likeness.h"
#include "core/error.h"
#include "model/reached_subgraphs.h"

namespace visq::analysis {

std::vector<std::string> part_remarks(const PartialModels& models) {
  std::vector<std::string> remarks;
  const auto likeness = weight_likeness(models.reference(), models.quantized(), models.pairing().pairing);
  for (const std::string& line : {unrelated_weights(likeness, models.reference(), models.quantized()), retrained_weights(likeness)}) {
    if (!line.empty()) remarks.push_back(line);
  }
  std::vector<const Operator*> callers;
  for (const Operator& op : models.reference().main().operators) callers.push_back(&op);
  const std::size_t bodies = reached_subgraphs(models.reference(), std::move(callers)).size();
  if (bodies > 0) {
    remarks.push_back(fmt::format("only the main graph is quantized: {} subgraph{} that operators call stay{} float", bodies,
                                  bodies == 1 ? "" : "s", bodies == 1 ? "s" : ""));
  }
  return remarks;
}

}  // namespace visq::analysis
