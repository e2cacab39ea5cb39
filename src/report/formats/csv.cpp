// csv: the layer table for spreadsheets, numbers with all their digits.
#include "report/format.h"
#include "report/words/layer_table.h"
#include "report/words/text.h"

namespace visq::report::format_csv {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions&, const std::string&) {
  const LayerTable table = layer_table(result, exact);
  return {{"compare_per_layer_out.csv", csv_table(table.columns, table.rows)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"csv", "layer table for spreadsheets", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_csv
