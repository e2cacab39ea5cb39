// anomalies: what is odd about maps apart from any metric, as aligned text.
#include "report/format.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "report/words/view.h"

namespace visq::report::format_anomalies {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions&, const std::string&) {
  const std::vector<Column> columns = {{"index"}, {"name"}, {"kind"}, {"value", true}, {"limit", true}, {"first record", true}};
  std::vector<std::vector<std::string>> rows;
  for (const Anomaly& anomaly : result.anomalies) {
    rows.push_back({place(anomaly.map), printable(anomaly.map.name), printable(anomaly.kind), brief(anomaly.value), brief(anomaly.limit),
                    anomaly.record < 0 ? "-" : std::to_string(anomaly.record)});
  }
  return {{"anomalies.txt", rows.empty() ? "no anomalies\n" : text_table(columns, rows)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"anomalies", "odd maps: not finite, constant, saturated …", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_anomalies
