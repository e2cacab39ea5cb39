// badcase for people: one line per output and metric.
#include <fmt/core.h>

#include <algorithm>

#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/badcase.h"

namespace visq::report {
namespace {

std::string by_label(const BadCase& bad) { return bad.metric == Metric::kNone ? "differing" : std::string(metric_info(bad.metric).label); }

std::string case_table(const BadcaseResult& result, std::size_t columns) {
  const auto asked = [&](Metric metric) { return std::find(result.by.begin(), result.by.end(), metric) != result.by.end(); };
  std::vector<FittedColumn> table{{{"output"}, 0, true}, {{"worst by"}}, {{"record", true}}};
  for (const Metric metric : every_metric()) {
    const MetricInfo& info = metric_info(metric);
    table.push_back({{std::string(info.label), true}, asked(metric) ? 0 : info.look.gives_way});
  }
  constexpr int kBehindMetrics = 20;
  table.push_back({{"differing", true}, kBehindMetrics});
  table.push_back({{"not finite", true}, kBehindMetrics});
  table.push_back({{"shape"}, kBehindMetrics + 1});
  std::vector<std::vector<std::string>> rows;
  for (const BadCase& bad : result.cases) {
    const BadcaseOutput& output = result.outputs[bad.output];
    std::vector<std::string> row{printable(name_for(output.reference, columns)), by_label(bad), std::to_string(bad.record)};
    for (const MetricValue& value : bad.values) row.push_back(brief(value));
    row.push_back(output.integer ? brief(bad.differing_share) : "-");
    row.push_back(std::to_string(bad.non_finite));
    row.push_back(compact(output.shape));
    rows.push_back(std::move(row));
  }
  return fitted_table(table, rows, columns);
}

}  // namespace

std::string badcase_text(const BadcaseResult& result, std::size_t columns) {
  std::string text = pair_head(result, true);
  if (result.post != PostProcess::kNone) text += fmt::format("outputs after {}\n\n", name(result.post));
  text += case_table(result, columns);
  for (const BadcaseOutput& output : result.outputs) {
    if (!output.not_compared.empty()) {
      text += fmt::format("{}: not compared in some record: {}\n", printable(name_for(output.reference, columns)),
                          printable(output.not_compared));
    }
  }
  text += "\n";
  for (const std::size_t index : result.worst_output) {
    const BadCase& bad = result.cases[index];
    text += wrapped(fmt::format("Worst by {}: output {} in record {}", by_label(bad),
                                printable(name_for(result.outputs[bad.output].reference, columns)), bad.record),
                    columns, 0) +
            "\n";
  }
  return text;
}

}  // namespace visq::report
