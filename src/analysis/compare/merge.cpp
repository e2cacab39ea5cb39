#include "visq/merge.h"

#include <algorithm>

#include "analysis/compare/fold_parts.h"
#include "visq/run.h"

namespace visq {
namespace {

/// What two parts differ in besides their records; empty where it is nothing.
std::string difference(const Part& a, const Part& b) {
  const RecordSums &x = a.sums, &y = b.sums;
  if (a.data != b.data) return "data";
  if (a.sequence != b.sequence) return "--feed-back, --state or --sequence-length";
  if (a.reference_mode != b.reference_mode || a.quantized_mode != b.quantized_mode) return "modes";
  if (a.metrics != b.metrics) return "metrics";
  if (a.post != b.post) return "--post";
  if (x.nodes != y.nodes || x.ops != y.ops) return "--nodes or --ops";
  if (x.per_channel != y.per_channel) return "--per-channel";
  if (x.origin != y.origin) return "--origin";
  if (x.max_scale != y.max_scale) return "--max-scale";
  if (x.modes_given != y.modes_given) return "--mode";
  if (x.pairs != y.pairs) return "pairs of maps (--pair A=B settles what the first record of each part decides)";
  if (a.accuracy.has_value() != b.accuracy.has_value()) return "--labels";
  return "";
}

std::string range(const Part& part) { return fmt::format("{}:{}", part.records.first, part.records.last); }

}  // namespace

Result<std::vector<Part>> in_order(std::vector<Part> parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.records.first < b.records.first; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (static_cast<std::int64_t>(part.sums.records.size()) != part.records.last - part.records.first) {
      return bad_input("{}: has the sums of {} records, not of {}", part.path, part.sums.records.size(), range(part));
    }
    if (i == 0) continue;
    const Part& before = parts[i - 1];
    const std::string other = difference(before, part);
    if (!other.empty()) return bad_input("{} and {}: are results of other {}", before.path, part.path, other);
    if (part.records.first < before.records.last) {
      return bad_input("{} and {}: records {} and {} overlap", before.path, part.path, range(before), range(part));
    }
    if (part.records.first > before.records.last) {
      return bad_input("{} and {}: records {}:{} are missing between them", before.path, part.path, before.records.last,
                       part.records.first);
    }
  }
  return parts;
}

namespace analysis {

PairRunRequest request_of(const std::vector<Part>& parts) {
  const Part& first = parts.front();
  PairRunRequest request;
  request.records = {first.records.first, parts.back().records.last};
  request.reference_mode = first.reference_mode;
  request.quantized_mode = first.quantized_mode;
  request.modes_given = first.sums.modes_given;
  request.pairs = first.sums.pairs;
  return request;
}

PairIdentity identity_of(const std::vector<Part>& parts, const Model& reference, const Model& quantized) {
  PairIdentity whole = parts.front();
  whole.records.last = parts.back().records.last;
  whole.reference = identity(reference);
  whole.quantized = identity(quantized);
  return whole;
}

Status whole_sequences(const std::vector<Part>& parts, std::initializer_list<const Model*> models) {
  const SequenceIdentity& sequence = parts.front().sequence;
  const bool kept = std::any_of(models.begin(), models.end(), [](const Model* model) { return keeps_state(*model); });
  if (sequence.feed_back.empty() && !kept) return {};
  for (const Part& part : parts) {
    const bool begins = &part == &parts.front() || (sequence.length > 0 && part.records.first % sequence.length == 0);
    if (begins) continue;
    return bad_input("{}: begins with record {}, in the middle of a sequence, which one run would have carried on", part.path,
                     part.records.first);
  }
  return {};
}

}  // namespace analysis
}  // namespace visq
