#include "visqerror/comparison.h"

#include <algorithm>

#include "core/error.h"
#include "visqerror/exit_code.h"
#include "visqerror/interrupt.h"

namespace visq::tool {
Result<CompareResult> compare_pair(PairRequest request, const Console& console) {
  VISQ_ASSIGN(const SharedModel reference, load(request.reference, console));
  VISQ_ASSIGN(const SharedModel quantized, load(request.quantized, console));
  VISQ_ASSIGN(const Records records, open_records(request.data, *reference, quantized.get(), request.legacy_random, console));

  CompareOptions& options = request.options;
  options.records = records.range;
  options.reference_mode = request.reference_mode.value_or(default_mode(*reference));
  options.quantized_mode = request.quantized_mode.value_or(default_mode(*quantized));
  options.modes_given = request.reference_mode || request.quantized_mode;
  options.progress = console.progress("records");
  options.stop = &interrupted();
  auto result = compare(reference, quantized, *records.source, options);
  if (result.ok() && !has_quantization(*quantized)) console.warn(fmt::format("{}: holds no quantized tensor", quantized->path));
  return result;
}

void warn_of(const CompareResult& result, const Console& console) {
  for (const std::string& warning : result.match.warnings) console.warn(warning);
  constexpr std::size_t kNamed = 5;  // the result lists all
  const std::size_t named = std::min(kNamed, result.not_computed.size());
  for (std::size_t i = 0; i < named; ++i) {
    const NotComputed& gap = result.not_computed[i];
    console.warn(fmt::format("{}: subgraph {}, node {} {}: {}", gap.model, gap.map.subgraph, gap.map.node, gap.map.op, gap.reason));
  }
  if (result.not_computed.size() > named)
    console.warn(fmt::format("{} more operators were not computed", result.not_computed.size() - named));
}

int conclude(const CompareResult& result, const std::vector<Condition>& conditions, bool allow_partial) {
  bool held = true;
  for (const Condition& condition : conditions) {
    for (const std::string& line : violations(condition, result)) {
      print_error(line);
      held = false;
    }
  }
  if (!held) return kConditionFailed;
  return result.not_computed.empty() || allow_partial ? kDone : kIncomplete;
}

}  // namespace visq::tool
