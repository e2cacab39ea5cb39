// visq: STEM.METRIC.visq.json for every metric.
#include <filesystem>

#include "report/format.h"

namespace visq::report::format_visq {
namespace {

std::vector<OutputFile> write(const CompareResult& result, const ReportOptions& options, const std::string& folder) {
  std::vector<OutputFile> files;
  for (const Metric metric : result.metrics) {
    const std::string name = stem(result) + "." + std::string(metric_info(metric).name) + ".visq.json";
    files.push_back({name, visq_json(result, metric, (std::filesystem::path(folder) / name).string(), options)});
  }
  return files;
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"visq", "*.visq.json for each metric, for the graph viewer and the mixed-precision solver", true}, write};
  return {&def, 1};
}

}  // namespace visq::report::format_visq
