// json: result.json.
#include "report/format.h"

namespace visq::report::format_json {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions&, const std::string&) {
  return {{"result.json", result_json(result)}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"json", "everything, as schema/compare.schema.json describes", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_json
