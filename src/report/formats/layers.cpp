// layers: the layer table as aligned text, numbers with four digits.
#include "report/format.h"
#include "report/words/layer_table.h"
#include "report/words/text.h"

namespace visq::report::format_layers {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions&, const std::string&) {
  LayerTable table = layer_table(result, brief);
  for (auto& row : table.rows) {
    for (std::string& cell : row) {
      if (cell.empty()) cell.assign(1, '-');  // an empty cell would make the columns behind it seem shifted
    }
  }
  return {{"compare_per_layer_out.txt", text_table(table.columns, table.rows)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"layers", "layer table as text", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_layers
