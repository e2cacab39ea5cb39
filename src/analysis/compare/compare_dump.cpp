// Compares a dump with a model that is run over the same records: once over the first of them to find pairs, once over all.
#include "visq/dumps/compare_dump.h"

#include <algorithm>

#include "analysis/compare/dump_pairs.h"
#include "analysis/compare/dump_tensors.h"
#include "analysis/facts/node_filter.h"
#include "analysis/records/comparison_sum.h"
#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "visq/graph.h"
#include "visq/run.h"

namespace visq {
namespace {

using analysis::ComparisonSum;
using analysis::DumpPair;
using analysis::MapNames;

constexpr std::int64_t kRecordsForPairs = 4;

bool holds_record(const DumpReader& dump, std::int64_t record) { return std::ranges::binary_search(dump.records(), record); }

/// From the first to behind the last of the records that both have.
Result<RecordRange> records_of_both(const DumpReader& dump, const std::string& dump_path, const RecordSource& data, RecordRange range) {
  const auto& all = dump.records();
  const auto first = std::ranges::lower_bound(all, range.first), end = std::ranges::lower_bound(all, range.last);
  if (first == end) return bad_input("{} and {} have no record in common", dump_path, data.description());
  return RecordRange{*first, *(end - 1) + 1};
}

/// Shows the maps of a run to DumpPairs.
class PairFinder : public MapSink {
 public:
  PairFinder(analysis::DumpPairs& pairs, DumpReader& dump) : pairs_(pairs), dump_(dump) {}
  Status begin_record(std::int64_t index) override {
    known_ = holds_record(dump_, index);
    return known_ ? pairs_.begin(index, dump_) : Status();
  }
  Status add(const FeatureMap& map) override {
    if (known_) pairs_.see(map);
    return {};
  }

 private:
  analysis::DumpPairs& pairs_;
  DumpReader& dump_;
  bool known_ = false;
};

/// Compares the maps of a run with their partners as they come.
class MapsAgainstDump : public MapSink {
 public:
  MapsAgainstDump(const Model& model, const MapNames& names, DumpReader& dump, const std::vector<DumpTensor>& tensors,
                  std::vector<DumpPair> pairs, const CompareDumpOptions& options, const std::vector<Metric>& metrics)
      : model_(model), dump_(dump), tensors_(tensors), pairs_(std::move(pairs)), options_(options) {
    for (const DumpPair& pair : pairs_) {
      MapIdentity of_model = names.identity(pair.tensor), of_dump = analysis::identity_of(tensors[pair.dumped]);
      of_dump.node = of_model.node, of_dump.output = of_model.output, of_dump.op = of_model.op;  // a dump does not say
      if (options.model_is_reference) std::swap(of_model, of_dump);
      sums_.emplace_back(std::move(of_dump), std::move(of_model), pair.by, metrics);
    }
  }

  Status begin_record(std::int64_t index) override {
    if (options_.stop != nullptr && options_.stop->load()) return usage_error("interrupted");
    record_ = index;
    now_.clear();
    if (!holds_record(dump_, index)) return {};
    VISQ_ASSIGN(now_, dump_.tensors(index));
    ++done_;
    return {};
  }

  Status add(const FeatureMap& map) override {
    for (std::size_t i = 0; i < pairs_.size() && !now_.empty(); ++i) {
      if (pairs_[i].tensor != map.tensor) continue;
      std::vector<analysis::MapRecord> runs(1);
      VISQ_ASSIGN(runs[0], compare(pairs_[i], map));
      sums_[i].add(record_, std::move(runs), options_.per_record);
    }
    return {};
  }

  std::int64_t records() const { return done_; }
  const std::vector<ComparisonSum>& sums() const { return sums_; }
  const std::vector<DumpPair>& pairs() const { return pairs_; }

 private:
  Result<analysis::MapRecord> compare(const DumpPair& pair, const FeatureMap& map) {
    const DumpTensor& first = tensors_[pair.dumped];
    const auto found =
        std::ranges::find_if(now_, [&](const DumpTensor& each) { return each.index == first.index && each.name == first.name; });
    analysis::MapRecord missing;
    missing.not_compared = "not in this record of the dump";
    if (found == now_.end()) return missing;
    missing.not_compared = fmt::format("shapes differ: {} and {}", to_string(found->shape), to_string(map.shape));
    if (found->shape.elements() != map.shape.elements()) return missing;
    VISQ_ASSIGN(const Array stored, dump_.read(record_, *found));
    Array array = data::moved(stored, pair.move, map.shape);
    limit(pair, array);
    const TensorInfo info = analysis::declaration(*found);
    const kernels::Tensor of_dump = analysis::tensor_of(array, info);
    const std::vector<std::string> strings(map.strings.begin(), map.strings.end());
    const kernels::Tensor of_model{.dtype = map.dtype,
                                   .shape = map.shape,
                                   .data = const_cast<std::byte*>(map.data),  // only read
                                   .strings = const_cast<std::vector<std::string>*>(&strings),
                                   .info = map.info};
    const bool reference = options_.model_is_reference;
    return analysis::compare_tensors(reference ? of_model : of_dump, reference ? of_dump : of_model, 0,
                                     {.per_channel = options_.per_channel, .output = is_output(map.tensor)}, scratch_);
  }

  void limit(const DumpPair& pair, Array& array) const {
    if (!pair.limited || array.dtype != DType::kFloat32) return;
    for (const Operator& op : model_.main().operators) {
      if (std::ranges::find(op.outputs, pair.tensor) == op.outputs.end()) continue;
      const auto clamp = kernels::clamp_of(op);
      for (float& value : array.values<float>()) value = value < clamp->low ? clamp->low : value > clamp->high ? clamp->high : value;
    }
  }

  bool is_output(int tensor) const { return std::ranges::find(model_.main().outputs, tensor) != model_.main().outputs.end(); }

  const Model& model_;
  DumpReader& dump_;
  const std::vector<DumpTensor>& tensors_;
  std::vector<DumpPair> pairs_;
  const CompareDumpOptions& options_;
  std::vector<ComparisonSum> sums_;
  std::vector<DumpTensor> now_;
  std::int64_t record_ = 0, done_ = 0;
  analysis::MapScratch scratch_;
};

/// What the user asked for among the pairs.
Result<std::vector<DumpPair>> choose(std::vector<DumpPair> pairs, const MapNames& names, const std::vector<DumpTensor>& tensors,
                                     const CompareDumpOptions& options, const std::string& path) {
  if (pairs.empty()) return bad_input("{}: no map has the name or the values of one of the model's", path);
  analysis::NodeFilter filter(options.nodes, options.ops);
  const auto known = [&](const DumpPair& pair) {
    auto all = names.all(pair.tensor);
    all.push_back(tensors[pair.dumped].name);
    return all;
  };
  for (const DumpPair& pair : pairs) {
    for (const auto name : known(pair)) filter.learn_name(name);
  }
  std::erase_if(pairs, [&](const DumpPair& pair) { return !filter.passes(known(pair), names.identity(pair.tensor).op); });
  if (pairs.empty()) return usage_error("{}: no map that has a partner fits --nodes and --ops", path);
  return pairs;
}

/// What of both is without a partner, and why.
MatchReport report_of(const std::vector<DumpPair>& pairs, const analysis::DumpPairs& finder, const std::vector<DumpTensor>& tensors,
                      const Model& model, const MapNames& names, bool model_is_reference) {
  MatchReport report;
  std::vector<bool> dumped(tensors.size(), false), paired(model.main().tensors.size(), false);
  for (const DumpPair& pair : pairs) {
    ++(pair.by == PairedBy::kName ? report.by_name : report.by_maps);
    dumped[pair.dumped] = paired[as_size(pair.tensor)] = true;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!dumped[i]) report.unpaired.push_back({!model_is_reference, analysis::identity_of(tensors[i]), finder.why_alone(i)});
  }
  for (const Operator& op : model.main().operators) {
    for (const int output : op.outputs) {
      if (!paired[as_size(output)])
        report.unpaired.push_back({model_is_reference, names.identity(output), "no map of the dump is like it"});
    }
  }
  return report;
}

void conclude(const MapsAgainstDump& maps, const Model& model, double max_scale, CompareResult& result) {
  for (std::size_t i = 0; i < maps.sums().size(); ++i) {
    result.maps.push_back(maps.sums()[i].finish());
    result.maps.back().map_correlation = maps.pairs()[i].correlation;
    const auto odd = maps.sums()[i].anomalies(max_scale);
    result.anomalies.insert(result.anomalies.end(), odd.begin(), odd.end());
  }
  for (const int output : model.main().outputs) {
    const auto found = std::ranges::find_if(maps.pairs(), [&](const DumpPair& pair) { return pair.tensor == output; });
    if (found != maps.pairs().end()) result.outputs.push_back(static_cast<int>(found - maps.pairs().begin()));
  }
}

void identify(const Model& model, const DumpReader& dump, const std::string& dump_path, const CompareDumpOptions& options,
              CompareResult& result) {
  const Mode of_dump = dump.mode().value_or(options.model_is_reference ? Mode::kInteger : Mode::kFp32);
  const auto dumped = analysis::file_identity(dump_path), own = identity(model);
  const bool reference = options.model_is_reference;
  result.reference = reference ? own : dumped, result.quantized = reference ? dumped : own;
  result.reference_mode = reference ? options.mode : of_dump, result.quantized_mode = reference ? of_dump : options.mode;
  (reference ? result.graph : result.quantized_graph) = graph_of(model);
}

}  // namespace

Result<CompareResult> compare_dump(std::shared_ptr<const Model> model, RecordSource& data, DumpReader& dump, const std::string& dump_path,
                                   const CompareDumpOptions& options) {
  VISQ_ASSIGN(const RecordRange common, records_of_both(dump, dump_path, data, options.records));
  VISQ_ASSIGN(const auto tensors, dump.tensors(common.first));
  const MapNames names(*model, 0);
  const std::string file = model->path.substr(model->path.find_last_of('/') + 1);
  analysis::DumpPairs finder(*model, names, tensors, options.channels, !dump.model().empty() && dump.model() == file);
  RunOptions run_options;
  static_cast<SequenceRequest&>(run_options) = options;
  run_options.mode = options.mode;
  // What a record left behind goes into the next one, so a sequence runs from its beginning.
  const std::int64_t start = keeps_state(*model) || !options.sequence.feed_back.empty() ? options.records.first : common.first;
  run_options.records = {start, std::min(common.last, common.first + kRecordsForPairs)};
  run_options.progress = nullptr;
  PairFinder sampler(finder, dump);
  VISQ_TRY(run(model, data, run_options, sampler));

  CompareResult result;
  result.metrics = analysis::chosen_metrics(options.metrics);
  const auto pairs = finder.pair();
  result.match = report_of(pairs, finder, tensors, *model, names, options.model_is_reference);
  VISQ_ASSIGN(auto chosen, choose(pairs, names, tensors, options, dump_path));
  MapsAgainstDump maps(*model, names, dump, tensors, std::move(chosen), options, result.metrics);
  run_options.records = {start, common.last};
  run_options.progress = options.progress;
  auto not_run = run(model, data, run_options, maps);
  const bool stopped = options.stop != nullptr && options.stop->load();
  if (!not_run.ok() && !stopped) return not_run.error();

  static_cast<RunIdentity&>(result) = analysis::run_identity(data.description(), options);
  result.records = common;
  result.interrupted = stopped;
  identify(*model, dump, dump_path, options, result);
  conclude(maps, *model, options.max_scale, result);
  if (not_run.ok()) analysis::tell_gaps(*not_run, *model, names, result);
  const std::int64_t wanted = options.records.last - options.records.first;
  if (maps.records() < wanted && !stopped) {
    result.match.warnings.push_back(fmt::format("{}: {} of the {} records are not in it", dump_path, wanted - maps.records(), wanted));
  }
  return result;
}

}  // namespace visq
