#include "diagnosis/whole/shares.h"

#include <algorithm>

#include "visq/compare.h"

namespace visq::diagnosis {
namespace {

/// Shares of a few records tell the places apart as well as those of many.
constexpr std::int64_t kRecords = 6;

}  // namespace

std::map<int, double> output_shares(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                    RecordSource& data, const RunRequest& request) {
  CompareOptions options;
  static_cast<RunRequest&>(options) = request;
  options.progress = {};  // told of runs with repairs, not of records
  options.modes_given = true;
  options.metrics = {metric_named("sqnr")};
  options.origin = true;
  options.records.last = std::min(options.records.last, options.records.first + kRecords);
  std::map<int, double> shares;
  auto compared = compare(reference, quantized, data, options);
  if (!compared.ok() || compared->interrupted) return shares;
  ShareRequest measuring;
  static_cast<RunRequest&>(measuring) = options;
  if (!measure_shares(reference, quantized, data, measuring, *compared).ok()) return shares;
  for (const MapComparison& map : compared->maps) {
    if (map.reference.subgraph != 0 || !map.origin || !map.origin->not_computed.empty()) continue;
    // Where some were measured, what was left out was found small by its estimate and in the first record.
    const double estimate = compared->share_records > 0 ? 0 : map.origin->output_share;
    shares[map.reference.tensor] = map.origin->measured_share.value_or(estimate);
  }
  return shares;
}

}  // namespace visq::diagnosis
