#include "visqerror/sessions/record_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/as_size.h"
#include "core/error.h"
#include "core/ranks.h"
#include "visq/compare.h"

namespace visq::tool {
namespace {

/// Records that are looked through for the worst few of a default choice.
constexpr std::int64_t kMostSearched = 256;
constexpr double kSeconds = 2;

std::vector<std::int64_t> spread(const RecordRange& all, std::int64_t count) {
  std::vector<std::int64_t> records;
  for (std::int64_t i = 0; i < count; ++i) records.push_back(all.first + i * (all.last - all.first) / count);
  return records;
}

void keep_only(Records& records, std::vector<std::int64_t> chosen) {
  records.range = {0, static_cast<std::int64_t>(chosen.size())};
  records.source = select_records(std::move(records.source), std::move(chosen));
}

void keep_first(Records& records, std::int64_t most, const Console& console) {
  const std::int64_t count = records.range.last - records.range.first;
  console.warn(
      fmt::format("{}: the first {} of {} records are used; --records A:B chooses others", records.source->description(), most, count));
  records.range.last = records.range.first + most;
}

/// So many spread evenly, and half as many of the worst.
Result<std::set<std::int64_t>> spread_and_worst(const Records& records, std::int64_t most, const Model& model, const Model& twin,
                                                const Console& console) {
  const std::int64_t count = records.range.last - records.range.first;
  const RecordRange searched{records.range.first, records.range.first + std::min(count, kMostSearched)};
  VISQ_ASSIGN(const auto worst, worst_of(records, searched, most / 2, model, twin, console));
  std::set<std::int64_t> chosen(worst.begin(), worst.end());
  for (const std::int64_t record : spread(records.range, most)) chosen.insert(record);
  return chosen;
}

/// At most so many of the others, spread evenly.
std::vector<std::int64_t> others(const RecordRange& all, const std::set<std::int64_t>& chosen, std::int64_t count) {
  std::vector<std::int64_t> left;
  for (std::int64_t record = all.first; record < all.last; ++record) {
    if (!chosen.contains(record)) left.push_back(record);
  }
  std::vector<std::int64_t> picked;
  const auto all_left = static_cast<std::int64_t>(left.size());
  for (const std::int64_t i : spread({0, all_left}, std::min(count, all_left))) picked.push_back(left[as_size(i)]);
  return picked;
}

}  // namespace

Status keep_spread(Records& records, std::int64_t most, const Model& model, const Model& twin, const Console& console) {
  const std::int64_t count = records.range.last - records.range.first;
  if (count <= most) return {};
  if (keeps_state(model) || keeps_state(twin)) {
    keep_first(records, most, console);
    return {};
  }
  VISQ_ASSIGN(const auto chosen, spread_and_worst(records, most, model, twin, console));
  console.warn(fmt::format("{}: {} of {} records are used, {} spread evenly and the worst; --records A:B chooses others",
                           records.source->description(), chosen.size(), count, most));
  keep_only(records, {chosen.begin(), chosen.end()});
  return {};
}

Result<RepairRecords> keep_for_repairs(Records& records, std::int64_t most, std::int64_t most_others, const Model& model, const Model& twin,
                                       const Console& console) {
  const std::int64_t count = records.range.last - records.range.first;
  const bool sequence = keeps_state(model) || keeps_state(twin);
  if (count <= (sequence ? most : 2 * most + most / 2)) return RepairRecords{};
  if (sequence) {
    keep_first(records, most, console);
    return RepairRecords{};
  }
  VISQ_ASSIGN(const auto chosen, spread_and_worst(records, most, model, twin, console));
  const auto more = others(records.range, chosen, most_others);
  std::vector<std::int64_t> all(chosen.begin(), chosen.end());
  for (const std::size_t first : {0U, 1U}) {
    for (std::size_t i = first; i < more.size(); i += 2) all.push_back(more[i]);
  }
  console.warn(
      fmt::format("{}: {} of {} records are used, {} spread evenly and the worst to look for causes, and {} others to fit and judge "
                  "repairs; --records A:B chooses others",
                  records.source->description(), all.size(), count, most, more.size()));
  const auto looked_at = static_cast<std::int64_t>(chosen.size());
  const std::int64_t fitted = looked_at + static_cast<std::int64_t>((more.size() + 1) / 2);
  keep_only(records, std::move(all));
  const RepairRecords repairs{{looked_at, fitted}, {fitted, records.range.last}};
  records.range.last = looked_at;
  return repairs;
}

Result<WholeSqnr> whole_sqnr(const DataOptions& options, const Pair& pair, const PairIdentity& part,
                             const std::vector<std::string>& outputs, std::int64_t used, const Console& console) {
  WholeSqnr whole;
  VISQ_ASSIGN(const Records records, open_records(options, *pair.reference, pair.quantized.get(), false, Console(true, false)));
  const std::int64_t count = records.range.last - records.range.first;
  if (count == used) return whole;
  CompareOptions request;
  set_up(request, records, "records, all of them", console);
  request.metrics = {metric_named("sqnr")};
  request.reference_mode = default_mode(*pair.reference);
  request.quantized_mode = part.quantized_mode;
  request.sequence.length = part.sequence.length;
  VISQ_ASSIGN(const CompareResult result, compare(pair.reference, pair.quantized, *records.source, request));
  whole.records = result.records.last - result.records.first;
  for (const std::string& output : outputs) {
    const MapComparison* map = find_map(result, output);
    const MetricValue* sqnr = map == nullptr ? nullptr : find_metric(result, *map, "sqnr");
    const bool finite = sqnr != nullptr && sqnr->state == MetricValue::State::kFinite;
    whole.outputs.push_back(finite ? sqnr->value : NAN);
  }
  return whole;
}

std::int64_t records_in_time(double seconds, std::int64_t all) {
  const double room = seconds > 0 ? kSeconds / seconds : HUGE_VAL;
  if (room >= static_cast<double>(all)) return all;
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max(room, 1.0))));
}

TimedRecords::TimedRecords(const DataOptions& options, Records& records, const Pair& pair, const Console& console)
    : records_(records), pair_(pair), console_(console), all_(records.range) {
  open_ = options.records.empty() && !options.path.empty() && all_.last - all_.first > 1;
  if (open_) records_.range.last = records_.range.first + 1;
}

Result<bool> TimedRecords::grow() {
  if (!open_) return false;
  open_ = false;
  const std::int64_t all = all_.last - all_.first;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  VISQ_ASSIGN(const auto counts, ranks().exchange(std::to_string(records_in_time(seconds, all))));
  const std::int64_t count = std::stoll(counts.front());
  if (count < all) say(count);
  if (count == 1) return false;
  if (count == all) {
    records_.range = all_;
  } else if (keeps_state(*pair_.reference) || keeps_state(*pair_.quantized)) {
    records_.range.last = records_.range.first + count;
  } else {
    keep_only(records_, spread(all_, count));
  }
  return true;
}

void TimedRecords::say(std::int64_t count) const {
  const std::int64_t all = all_.last - all_.first;
  console_.note(fmt::format("{}: {} of {} records {} used, as many as two seconds have room for; --records {} takes all",
                            records_.source->description(), count, all, count == 1 ? "is" : "are", all));
}

}  // namespace visq::tool
