#include "visq/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/facts/layer_values.h"
#include "analysis/facts/name_hint.h"
#include "analysis/records/record_workers.h"
#include "analysis/records/run_identity.h"
#include "analysis/values/operator_times.h"
#include "analysis/values/profile_model.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/pairing.h"

namespace visq {
namespace {

using analysis::ModelProfiler;
using analysis::ModelRecord;

/// Records that --time runs again and again.
constexpr std::int64_t kTimedRecords = 16;

using SharedModel = std::shared_ptr<const Model>;

/// One model, or a pair, with what feeds it.
struct Subjects {
  std::vector<SharedModel> models;
  analysis::SequenceFeed feed;

  static analysis::SequenceFeed::Side side(std::size_t model) {
    return model == 0 ? analysis::SequenceFeed::Side::kModel : analysis::SequenceFeed::Side::kTwin;
  }
};

/// Runs every model on one record. Each thread has its own.
class Worker {
 public:
  Worker(const Subjects& subjects, const ProfileOptions& options, std::vector<std::unique_ptr<ModelProfiler>>& profilers)
      : subjects_(subjects), profilers_(profilers) {
    for (std::size_t i = 0; i < subjects.models.size(); ++i) runners_.emplace_back(subjects.models[i], options.modes[i]);
  }

  Result<std::vector<ModelRecord>> operator()(const Record& record) {
    std::vector<ModelRecord> records(runners_.size());
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const auto observe = [&](int tensor, const runtime::Executor& executor) -> Status {
        profilers_[i]->observe(tensor, executor, records[i], *scratch_);
        return {};
      };
      VISQ_TRY(runners_[i].run(record, subjects_.feed, Subjects::side(i), observe));
      records[i].failures = runners_[i].executor().failures();
    }
    return records;
  }

 private:
  const Subjects& subjects_;
  std::vector<std::unique_ptr<ModelProfiler>>& profilers_;
  std::vector<analysis::ModelRunner> runners_;
  std::shared_ptr<analysis::ProfileScratch> scratch_ = std::make_shared<analysis::ProfileScratch>();
};

Status measure_times(const Subjects& subjects, RecordSource& data, const ProfileOptions& options, ProfileResult& result) {
  for (std::size_t i = 0; i < subjects.models.size(); ++i) {
    std::vector<std::vector<Array>> inputs;
    const std::int64_t last = std::min(options.records.last, options.records.first + kTimedRecords);
    for (std::int64_t index = options.records.first; index < last; ++index) {
      VISQ_ASSIGN(const Record record, data.read(index));
      VISQ_ASSIGN(inputs.emplace_back(), subjects.feed.inputs(Subjects::side(i), record, {}));
    }
    ModelProfile& model = result.models[i];
    VISQ_ASSIGN(model.times, analysis::operator_times(subjects.models[i], options.modes[i], inputs, options.stop, model.timed_runs));
  }
  return {};
}

/// The values of a layer's weights or bias.
std::optional<std::vector<double>> layer_constant(const quant::GraphIndex& graph, const Operator& op, bool bias) {
  if (bias) return analysis::bias_values(graph, op);
  const auto values = analysis::constant_values(graph, input_of(op, kernels::facts_of(op).weights->weight));
  return values ? std::optional(std::vector<double>(values->begin(), values->end())) : std::nullopt;
}

ValueStatistics statistics_of(const std::vector<double>& values) {
  metrics::Moments moments;
  const std::vector<float> narrow(values.begin(), values.end());
  moments.add(narrow);
  return analysis::to_statistics(moments);
}

/// Weights and biases of paired layers in one pair of subgraphs.
class WeightTable {
 public:
  WeightTable(const Model& reference, const Model& quantized, const quant::GraphPairing& pair, std::vector<WeightProfile>& rows)
      : r_(reference.subgraphs[as_size(pair.reference_subgraph)]),
        q_(quantized.subgraphs[as_size(pair.quantized_subgraph)]),
        r_names_(reference, pair.reference_subgraph),
        q_names_(quantized, pair.quantized_subgraph),
        rows_(rows) {}

  void add(const std::vector<quant::TensorMatch>& matches) {
    for (const quant::TensorMatch& match : matches) {
      const int r = r_.maker(match.reference), q = q_.maker(match.quantized);
      if (r < 0 || q < 0 || r_.op(r).type != q_.op(q).type || !kernels::facts_of(r_.op(r)).weights) continue;
      add(r, q, false);
      add(r, q, true);
    }
  }

 private:
  void add(int r, int q, bool bias) {
    const auto f = layer_constant(r_, r_.op(r), bias), g = layer_constant(q_, q_.op(q), bias);
    if (!f || !g || f->size() != g->size() || f->empty()) return;
    const auto slots = *kernels::facts_of(r_.op(r)).weights;
    const int r_tensor = r_.op(r).inputs[bias ? slots.bias : slots.weight], q_tensor = q_.op(q).inputs[bias ? slots.bias : slots.weight];
    WeightProfile& row = rows_.emplace_back();
    row.reference = r_names_.identity(r_.op(r).outputs[0]);
    row.quantized = q_names_.identity(q_.op(q).outputs[0]);
    row.attribute = bias ? "bias" : "weight";
    row.reference_name = r_names_.name(r_tensor);
    row.quantized_name = q_names_.name(q_tensor);
    row.reference_dtype = r_.tensor(r_.origin(r_tensor)).dtype;
    row.quantized_dtype = q_.tensor(q_.origin(q_tensor)).dtype;
    row.reference_values = statistics_of(*f);
    row.quantized_values = statistics_of(*g);
    double signal = 0, noise = 0;
    for (std::size_t i = 0; i < f->size(); ++i) {
      signal += (*f)[i] * (*f)[i];
      noise += ((*f)[i] - (*g)[i]) * ((*f)[i] - (*g)[i]);
    }
    row.mse = noise / static_cast<double>(f->size());
    row.sqnr = noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
  }

  quant::GraphIndex r_, q_;
  analysis::MapNames r_names_, q_names_;
  std::vector<WeightProfile>& rows_;
};

Result<std::vector<WeightProfile>> compare_weights(const Model& reference, const Model& quantized, const std::vector<PairRule>& pairs) {
  VISQ_ASSIGN(const auto order, match_inputs(reference, quantized));
  std::vector<WeightProfile> rows;
  for (const quant::GraphPairing& pair : quant::pair_models(reference, quantized, order, pairs)) {
    WeightTable(reference, quantized, pair, rows).add(pair.pairing.matches);
  }
  return rows;
}

/// Folds all records. Returns how many there were.
Result<std::int64_t> gather(const Subjects& subjects, RecordSource& data, const ProfileOptions& options,
                            std::vector<std::unique_ptr<ModelProfiler>>& profilers) {
  using Output = std::vector<ModelRecord>;
  std::int64_t done = 0;
  analysis::RecordWorkers<Output> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<Output>> { return analysis::RecordWorker<Output>(Worker(subjects, options, profilers)); },
      [&](std::int64_t, Output&& output) -> Status {
        for (std::size_t i = 0; i < output.size(); ++i) profilers[i]->fold(std::move(output[i]));
        if (options.progress) options.progress(++done, options.records.last - options.records.first);
        return {};
      },
      options.stop);
  const bool in_order = subjects.feed.in_order({subjects.models.front().get(), subjects.models.back().get()});
  return workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records));
}

}  // namespace

double ValueStatistics::deviation() const { return std::sqrt(variance); }

Result<ProfileResult> profile(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const ProfileOptions& options) {
  VISQ_ASSIGN(auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  Subjects subjects{{reference}, std::move(feed)};
  if (quantized) subjects.models.push_back(quantized);
  std::vector<std::unique_ptr<ModelProfiler>> profilers;
  bool any = false;
  for (std::size_t i = 0; i < subjects.models.size(); ++i) {
    profilers.push_back(std::make_unique<ModelProfiler>(*subjects.models[i], options.modes[i], options));
    any = any || !profilers.back()->empty();
  }
  if (!any) {
    const Model* twin = quantized ? quantized.get() : reference.get();
    return usage_error("no operator fits --nodes and --ops{}", analysis::filter_hint(options.nodes, options.ops, {reference.get(), twin}));
  }
  VISQ_ASSIGN(const std::int64_t done, gather(subjects, data, options, profilers));
  ProfileResult result;
  static_cast<RunIdentity&>(result) = analysis::run_identity(data.description(), options);
  analysis::end_after(done, result);
  for (auto& profiler : profilers) result.models.push_back(profiler->finish());
  if (quantized) {
    VISQ_ASSIGN(result.weights, compare_weights(*reference, *quantized, options.pairs));
  }
  if (options.time && !result.interrupted) VISQ_TRY(measure_times(subjects, data, options, result));
  return result;
}

}  // namespace visq
