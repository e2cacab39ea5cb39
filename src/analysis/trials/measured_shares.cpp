// What each map's own error does to the outputs, by runs in which nothing else is quantized.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "analysis/records/record_workers.h"
#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "visq/compare.h"
#include "visq/run.h"

namespace visq {
namespace {

using analysis::PartialModels;
using analysis::PartSet;
using analysis::TrialRunner;

/// So many of the maps with the largest share in the first record, and of those with the largest estimate, are measured on more records.
constexpr std::size_t kConfirmed = 10;
constexpr std::int64_t kMostRecords = 64;

class ShareMeasurement {
 public:
  ShareMeasurement(PartialModels& models, RecordSource& data, const ShareRequest& request, CompareResult& result)
      : models_(models), data_(data), request_(request), result_(result) {
    const Subgraph& graph = models.reference().main();
    for (const int output : graph.outputs) {
      if (graph.tensors[as_size(output)].dtype == DType::kFloat32) outputs_.push_back(output);
    }
    find_trials();
  }

  Status run() {
    if (maps_.empty() || outputs_.empty()) return {};
    std::vector<std::size_t> all(sets_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    VISQ_ASSIGN(const auto scan, shares(all, {request_.records.first}));
    const auto chosen = contenders(scan);
    const auto records = spread();
    VISQ_ASSIGN(const auto measured, shares(chosen, records));
    if (stopped()) return {};
    for (const std::size_t trial : chosen) {
      if (trial < maps_.size()) result_.maps[maps_[trial]].origin->measured_share = measured[trial];
    }
    result_.share_records = static_cast<std::int64_t>(records.size());
    return {};
  }

 private:
  /// A trial per map: its operator's weights and the map; and one more, of everything. Where two are one computation (a map rounded
  /// before a RESHAPE, or behind it), the first has the share.
  void find_trials() {
    const auto& activations = models_.parts().activations();
    std::set<std::string> known;
    for (std::size_t i = 0; i < result_.maps.size(); ++i) {
      const MapComparison& map = result_.maps[i];
      if (!map.origin || map.reference.subgraph != 0 || !std::isfinite(map.origin->errors.created)) continue;
      PartSet set;
      const auto* node = map.reference.node < 0 ? nullptr : models_.parts().find(map.reference.node);
      if (node != nullptr && !node->constants.empty()) set.weights.insert(node->node);
      if (activations.contains(map.reference.tensor)) set.activations.insert(map.reference.tensor);
      if (set.weights.empty() && set.activations.empty()) continue;
      if (!known.insert(models_.parts().key(set, outputs_)).second) continue;
      maps_.push_back(i);
      sets_.push_back(std::move(set));
    }
    sets_.push_back(models_.parts().all());
  }

  /// Places in sets_, ascending, the trial of everything among them.
  std::vector<std::size_t> contenders(const std::vector<double>& scan) const {
    std::set<std::size_t> chosen{maps_.size()};
    const auto add_largest = [&](const auto& value) {
      std::vector<std::size_t> order(maps_.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
      order.resize(std::min(order.size(), kConfirmed));
      chosen.insert(order.begin(), order.end());
    };
    add_largest([&](std::size_t trial) { return scan[trial]; });
    add_largest([&](std::size_t trial) { return result_.maps[maps_[trial]].origin->output_share; });
    return {chosen.begin(), chosen.end()};
  }

  std::vector<std::int64_t> spread() const {
    const std::int64_t all = request_.records.last - request_.records.first, count = std::min(all, kMostRecords);
    std::vector<std::int64_t> records;
    for (std::int64_t i = 0; i < count; ++i) records.push_back(request_.records.first + i * all / count);
    return records;
  }

  /// Per set, 0 for those that were not asked for: the squared error that it makes at the outputs, over that of everything. Outputs count
  /// alike.
  Result<std::vector<double>> shares(const std::vector<std::size_t>& trials, const std::vector<std::int64_t>& records) {
    const RecordRange range{0, static_cast<std::int64_t>(trials.size())};
    analysis::TrialOptions options{outputs_, nullptr, analysis::thread_count(request_.threads, range), request_.memory, {}};
    TrialRunner runner(models_, sets_, std::move(options));
    std::vector<std::vector<double>> errors(sets_.size(), std::vector<double>(outputs_.size(), 0));
    for (std::size_t r = 0; r < records.size() && !stopped(); ++r) {
      VISQ_ASSIGN(const Record record, data_.read(records[r]));
      VISQ_TRY(runner.begin(record));
      VISQ_TRY(runner.run(
          trials,
          [&](std::size_t trial, analysis::TrialRecord&& done) {
            for (std::size_t o = 0; o < outputs_.size(); ++o) errors[trial][o] += done.outputs[o].stats.sum_dd;
          },
          request_.stop));
      if (request_.progress) request_.progress(static_cast<std::int64_t>(r) + 1, static_cast<std::int64_t>(records.size()));
    }
    std::vector<double> result(sets_.size(), 0);
    const std::vector<double>& whole = errors.back();
    const auto wrong = std::count_if(whole.begin(), whole.end(), [](double error) { return error > 0; });
    for (std::size_t trial = 0; trial < sets_.size(); ++trial) {
      for (std::size_t o = 0; o < outputs_.size(); ++o) {
        if (whole[o] > 0) result[trial] += errors[trial][o] / whole[o] / static_cast<double>(wrong);
      }
    }
    return result;
  }

  bool stopped() const { return request_.stop != nullptr && request_.stop->load(); }

  PartialModels& models_;
  RecordSource& data_;
  const ShareRequest& request_;
  CompareResult& result_;
  std::vector<int> outputs_;
  std::vector<std::size_t> maps_;  ///< indices into result.maps, one per trial but the last
  std::vector<PartSet> sets_;
};

}  // namespace

Status measure_shares(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                      const ShareRequest& request, CompareResult& result) {
  const bool estimated = std::any_of(result.maps.begin(), result.maps.end(), [](const auto& map) { return map.origin.has_value(); });
  if (!estimated || result.interrupted || keeps_state(*reference) || request.records.first >= request.records.last) return {};
  if (result.reference_mode != Mode::kFp32 || result.quantized_mode != Mode::kFakeQuant || reference == quantized) return {};
  const auto models = PartialModels::create(reference, quantized, request.pairs);
  if (!models.ok()) return {};  // nothing that could be quantized alone: estimates stay what they are
  return ShareMeasurement(**models, data, request, result).run();
}

}  // namespace visq
