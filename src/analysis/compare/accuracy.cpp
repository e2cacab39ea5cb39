#include "visq/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "analysis/pairs/pair_worker.h"
#include "analysis/records/real_values.h"
#include "analysis/records/record_workers.h"
#include "core/as_size.h"
#include "core/error.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::MapNames;

/// The rank of a label that is no class.
constexpr std::int64_t kNeverRight = std::numeric_limits<std::int64_t>::max();

/// Whether both models were right about one record.
struct Outcome {
  std::int64_t classes = 0, reference_rank = 0, quantized_rank = 0, best = 0;
};

/// The pair of the plan that is the output asked for.
Result<std::size_t> find_output(const ComparePlan& plan, const std::string& name) {
  const MapNames f(plan.reference(), 0), q(plan.quantized(), 0);
  const auto& outputs = plan.reference().main().outputs;
  if (name.empty() && outputs.empty()) return bad_input("{}: has no outputs, so labels say nothing about it", plan.reference().path);
  const auto& matches = plan.pairings().front().pairing.matches;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool called = f.goes_by(matches[i].reference, name) || q.goes_by(matches[i].quantized, name);
    const bool wanted = name.empty() ? matches[i].reference == outputs[0] : called;
    if (wanted) return i;
  }
  if (name.empty()) return bad_input("{}: its first output has no counterpart in {}", plan.reference().path, plan.quantized().path);
  return usage_error("--output-node: no feature map of both models is called '{}'{}", name,
                     analysis::name_hint(name, {&plan.reference(), &plan.quantized()}));
}

/// The scores of one record. Errors where it is not one row of them.
Result<std::span<const float>> scores_of(const runtime::Executor& executor, int tensor, std::vector<float>& scratch) {
  const kernels::Tensor& map = executor.tensor(tensor);
  if (!executor.available(tensor)) return unsupported("{}: was not computed", map.info->name);
  const float* values = analysis::real_values(map, scratch);
  const bool row = values != nullptr && map.shape.rank() > 0 && map.shape.elements() == map.shape.back() && map.shape.elements() > 1;
  if (!row) {
    return bad_input("'{}' is {} of shape {}: labels need one row of class scores per record", map.info->name, name(map.dtype),
                     to_string(map.shape));
  }
  return std::span(values, as_size(map.elements()));
}

/// Runs one record through both models and looks up where its label stands.
class Worker {
 public:
  Worker(ComparePlan& plan, const analysis::SequenceFeed& feed, const AccuracyOptions& options, std::size_t output)
      : plan_(plan), options_(options), output_(output), pair_(plan, feed), scratch_(std::make_shared<std::vector<float>>()) {}

  Result<Outcome> operator()(const Record& record) {
    const auto label = options_.labels[as_size(record.index)] + options_.label_offset;
    Outcome outcome;
    VISQ_TRY(pair_.run(record, [&](std::size_t pair, const runtime::Executor& f, const runtime::Executor& q) -> Status {
      if (pair != output_) return {};
      const auto& match = plan_.pairs()[pair].match;
      VISQ_ASSIGN(const auto reference, scores_of(f, match.reference, *scratch_));
      outcome.classes = static_cast<std::int64_t>(reference.size());
      const bool known = label >= 0 && label < outcome.classes;
      if (!known && !options_.any_label) {
        return bad_input("label {} of record {} is none of {} classes (0 to {})", label, record.index, outcome.classes,
                         outcome.classes - 1);
      }
      outcome.reference_rank = known ? rank_of(reference, label) : kNeverRight;
      outcome.best = std::max_element(reference.begin(), reference.end()) - reference.begin();
      VISQ_ASSIGN(const auto quantized, scores_of(q, match.quantized, *scratch_));
      if (quantized.size() != reference.size()) return bad_input("the models differ in their number of classes");
      outcome.quantized_rank = known ? rank_of(quantized, label) : kNeverRight;
      return {};
    }));
    return outcome;
  }

 private:
  ComparePlan& plan_;
  const AccuracyOptions& options_;
  std::size_t output_;
  analysis::PairWorker pair_;
  std::shared_ptr<std::vector<float>> scratch_;
};

CompareOptions plan_options(const AccuracyOptions& options) {
  CompareOptions compare;
  static_cast<PairRunRequest&>(compare) = options;
  compare.modes_given = true;
  return compare;
}

}  // namespace

double Accuracy::drop() const {
  const double difference = reference.main - quantized.main;
  const bool shares = std::fabs(reference.main) <= 1 && std::fabs(quantized.main) <= 1;
  return program.empty() || shares ? 100 * difference : difference;
}

std::int64_t rank_of(std::span<const float> scores, std::int64_t label) {
  const float own = scores[as_size(label)];
  if (std::isnan(own)) return static_cast<std::int64_t>(scores.size());
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    rank += scores[i] > own || (scores[i] == own && static_cast<std::int64_t>(i) < label) ? 1 : 0;
  }
  return rank;
}

Result<Accuracy> accuracy(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                          const AccuracyOptions& options) {
  if (static_cast<std::int64_t>(options.labels.size()) < options.records.last) {
    return usage_error("--labels: {} labels for records up to {}", options.labels.size(), options.records.last);
  }
  VISQ_ASSIGN(ComparePlan plan, ComparePlan::create(reference, quantized, plan_options(options)));
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), options.sequence));
  VISQ_ASSIGN(const std::size_t output, find_output(plan, options.output_node));
  Accuracy result;
  result.output = MapNames(*reference, 0).name(plan.pairs()[output].match.reference);
  const auto add = [](ModelScore& sum, std::int64_t rank) {
    sum.main += rank < 1 ? 1 : 0;
    sum.second += rank < 5 ? 1 : 0;
  };
  analysis::RecordWorkers<Outcome> workers(
      data, options.records,
      [&]() -> Result<analysis::RecordWorker<Outcome>> { return analysis::RecordWorker<Outcome>(Worker(plan, feed, options, output)); },
      [&](std::int64_t, Outcome&& outcome) -> Status {
        result.classes = outcome.classes;
        add(result.reference, outcome.reference_rank);
        add(result.quantized, outcome.quantized_rank);
        result.best.push_back(outcome.best);
        ++result.records;
        if (options.progress) options.progress(result.records, options.records.last - options.records.first);
        return {};
      },
      options.stop);
  const bool in_order = feed.in_order({reference.get(), quantized.get()});
  VISQ_ASSIGN(const auto done, workers.run(in_order ? 1 : analysis::thread_count(options.threads, options.records)));
  for (double* share : {&result.reference.main, &result.reference.second, &result.quantized.main, &result.quantized.second}) {
    *share /= static_cast<double>(std::max<std::int64_t>(done, 1));
  }
  return result;
}

}  // namespace visq
