#include "visq/compare.h"

#include <algorithm>
#include <set>

#include "analysis/compare_plan.h"
#include "analysis/comparison_sum.h"
#include "analysis/map_identity.h"
#include "analysis/record_workers.h"
#include "core/error.h"
#include "core/file.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::ComparisonSum;
using analysis::MapNames;
using analysis::MapRecord;

/// What one record gives: a MapRecord per pair, and the operators that could not run.
struct RecordOutput {
  std::vector<MapRecord> maps;
  std::vector<std::pair<std::size_t, std::string>> reference_failures, quantized_failures;
};

std::vector<std::pair<std::size_t, std::string>> failures_of(const runtime::Executor& executor) {
  std::vector<std::pair<std::size_t, std::string>> failures;
  for (std::size_t node = 0; node < executor.graph().nodes().size(); ++node) {
    if (!executor.failure(node).empty()) failures.emplace_back(node, executor.failure(node));
  }
  return failures;
}

/// One thread's pair of executors; rebuilt where a record's input shapes differ from those of the last.
class Worker {
 public:
  Worker(ComparePlan& plan, const InputFeed& feed, bool per_channel) : plan_(plan), feed_(feed), per_channel_(per_channel) {}

  Result<RecordOutput> operator()(const Record& record) {
    VISQ_ASSIGN(const auto reference_inputs, feed_.for_model(record));
    VISQ_ASSIGN(const auto quantized_inputs, feed_.for_twin(record));
    VISQ_TRY(prepare(reference_inputs, quantized_inputs));
    RecordOutput output;
    output.maps.resize(plan_.matches().size());
    VISQ_TRY(lockstep_->run(reference_inputs, quantized_inputs,
                            [&](std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized) -> Status {
                              const auto& match = plan_.matches()[pair];
                              output.maps[pair] =
                                  analysis::compare_maps(reference, match.reference, quantized, match.quantized, per_channel_, *scratch_);
                              return {};
                            }));
    output.reference_failures = failures_of(lockstep_->reference());
    output.quantized_failures = failures_of(lockstep_->quantized());
    return output;
  }

 private:
  static std::vector<Shape> shapes_of(const std::vector<Array>& inputs) {
    std::vector<Shape> shapes;
    for (const Array& input : inputs) shapes.push_back(input.shape);
    return shapes;
  }

  Status prepare(const std::vector<Array>& reference_inputs, const std::vector<Array>& quantized_inputs) {
    auto shapes = shapes_of(reference_inputs);
    if (lockstep_ && shapes == shapes_) return {};
    VISQ_ASSIGN(auto plan, plan_.lockstep(shapes, shapes_of(quantized_inputs)));
    VISQ_ASSIGN(auto lockstep, runtime::Lockstep::create(std::move(plan)));
    lockstep_ = std::make_shared<runtime::Lockstep>(std::move(lockstep));
    shapes_ = std::move(shapes);
    return {};
  }

  ComparePlan& plan_;
  const InputFeed& feed_;
  bool per_channel_;
  std::vector<Shape> shapes_;
  std::shared_ptr<runtime::Lockstep> lockstep_;
  std::shared_ptr<analysis::MapScratch> scratch_ = std::make_shared<analysis::MapScratch>();
};

/// Joins records and writes the result.
class Collector {
 public:
  Collector(const ComparePlan& plan, const CompareOptions& options)
      : plan_(plan), options_(options), reference_names_(plan.reference(), 0), quantized_names_(plan.quantized(), 0) {
    result_.metrics = options.metrics;
    if (result_.metrics.empty()) {
      for (std::size_t i = 0; i < all_metrics().size(); ++i) result_.metrics.push_back(static_cast<int>(i));
    }
    for (const auto& match : plan.matches()) {
      sums_.emplace_back(reference_names_.identity(match.reference), quantized_names_.identity(match.quantized), match.by, result_.metrics);
    }
  }

  Status add(std::int64_t record, RecordOutput&& output) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(record, std::move(output.maps[i]), options_.per_record);
    note_failures(plan_.reference(), reference_names_, output.reference_failures);
    note_failures(plan_.quantized(), quantized_names_, output.quantized_failures);
    ++done_;
    if (options_.progress) options_.progress(done_, options_.records.last - options_.records.first);
    return {};
  }

  CompareResult finish(const RecordSource& data) {
    result_.reference = {plan_.reference().path, {}, plan_.reference().format};
    result_.quantized = {plan_.quantized().path, {}, plan_.quantized().format};
    result_.graph = graph_of(plan_.reference());
    result_.data = data.description();
    result_.records = {options_.records.first, options_.records.first + done_};
    result_.reference_mode = options_.reference_mode;
    result_.quantized_mode = options_.quantized_mode;
    result_.interrupted = result_.records.last < options_.records.last;
    for (const ComparisonSum& sum : sums_) {
      result_.maps.push_back(sum.finish());
      const auto odd = sum.anomalies(options_.max_scale);
      result_.anomalies.insert(result_.anomalies.end(), odd.begin(), odd.end());
    }
    note_low_precision_output();
    list_outputs();
    report_match();
    return std::move(result_);
  }

 private:
  void note_failures(const Model& model, const MapNames& names, const std::vector<std::pair<std::size_t, std::string>>& failures) {
    for (const auto& [node, reason] : failures) {
      const auto& outputs = model.main().operators[node].outputs;
      if (outputs.empty() || !failed_.emplace(&model, node).second) continue;
      result_.not_computed.push_back({model.path, names.identity(outputs[0]), reason});
    }
  }

  /// Once per run, as a remark: outputs of a quantized model that are themselves rounded to 8 bits or fewer.
  void note_low_precision_output() {
    for (const int output : plan_.quantized().main().outputs) {
      const TensorInfo& tensor = plan_.quantized().main().tensors[static_cast<std::size_t>(output)];
      if (tensor.quantization.quantized() && bits(tensor.dtype) <= 8) {
        result_.anomalies.push_back(
            {quantized_names_.identity(output), "low-precision output", static_cast<double>(bits(tensor.dtype)), 16, -1});
        return;
      }
    }
  }

  void list_outputs() {
    for (const int output : plan_.reference().main().outputs) {
      for (std::size_t i = 0; i < result_.maps.size(); ++i) {
        if (result_.maps[i].reference.tensor == output) result_.outputs.push_back(static_cast<int>(i));
      }
    }
  }

  void report_match() {
    for (const auto& match : plan_.pairing().matches) {
      ++(match.by == PairedBy::kName ? result_.match.by_name : result_.match.by_structure);
    }
    for (const auto& tensor : plan_.pairing().unpaired) {
      const MapNames& names = tensor.in_reference ? reference_names_ : quantized_names_;
      result_.match.unpaired.push_back({tensor.in_reference, names.identity(tensor.tensor), tensor.reason});
    }
    result_.match.warnings = plan_.warnings();
  }

  const ComparePlan& plan_;
  const CompareOptions& options_;
  MapNames reference_names_, quantized_names_;
  std::vector<ComparisonSum> sums_;
  std::set<std::pair<const Model*, std::size_t>> failed_;
  std::int64_t done_ = 0;
  CompareResult result_;
};

}  // namespace

Result<CompareResult> compare(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const CompareOptions& options) {
  VISQ_ASSIGN(auto plan, ComparePlan::create(reference, quantized, options));
  VISQ_ASSIGN(const auto feed, InputFeed::create(*reference, quantized.get()));
  Collector collector(plan, options);
  analysis::RecordWorkers<RecordOutput> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<RecordOutput>> {
        return analysis::RecordWorker<RecordOutput>(Worker(plan, feed, options.per_channel));
      },
      [&](std::int64_t record, RecordOutput&& output) { return collector.add(record, std::move(output)); }, options.stop);
  VISQ_ASSIGN(const auto done, workers.run(analysis::thread_count(options.threads, options.records)));
  (void)done;
  return collector.finish(data);
}

}  // namespace visq
