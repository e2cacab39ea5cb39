#include "visq/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "diagnosis/examination.h"
#include "diagnosis/precision_accuracy.h"
#include "diagnosis/precision_search.h"
#include "visq/graph.h"

namespace visq {
namespace diagnosis {
namespace {

/// Repairs: how many at most, and what each must be worth (see trials.cpp), in dB. Less may be nothing but the choice of records.
constexpr int kMostRepairs = 8;
constexpr double kLeastWorth = 1.5;
/// Nothing is worth more than this output, in dB.
constexpr double kGoodEnough = 60;

double worst(const std::vector<double>& sqnr) { return sqnr.empty() ? kPerfect : *std::min_element(sqnr.begin(), sqnr.end()); }

struct Repaired {
  std::shared_ptr<const Model> model;
  ModelEdit edit;
};

/// Repairs one fault after the other as long as that wins something a device can have.
Result<Repaired> repair(const MeasuredPair& pair, const DiagnoseOptions& options, RecommendResult& result) {
  Repaired repaired{pair.subject().quantized_model(), {}};
  for (int round = 0; round <= kMostRepairs; ++round) {
    VISQ_ASSIGN(Examination examination, examine(pair, repaired.model, options));
    const double sqnr = worst(examination.trials->before().outputs);
    if (round == 0) result.sqnr_before = sqnr, result.repair_mode = examination.trials->mode();
    if (!result.repairs.empty()) result.repairs.back().sqnr = sqnr;
    const auto fault = std::max_element(examination.faults.begin(), examination.faults.end(),
                                        [](const Fault& a, const Fault& b) { return a.edit_worth < b.edit_worth; });
    const bool stopped = options.stop != nullptr && options.stop->load();
    if (fault == examination.faults.end() || fault->edit_worth < kLeastWorth || round == kMostRepairs || stopped) break;
    fault->finding.fix = fault->edit_text;
    repaired.model = edited(*repaired.model, fault->edit);
    add(repaired.edit, fault->edit);
    result.repairs.push_back({std::move(fault->finding), 0});
  }
  return repaired;
}

/// Drops sets that cost more than another and are no better.
std::vector<PrecisionPoint> front_of(std::vector<PrecisionPoint> points) {
  std::vector<PrecisionPoint> front;
  for (PrecisionPoint& point : points) {
    if (front.empty() || point.sqnr > front.back().sqnr) front.push_back(std::move(point));
  }
  return front;
}

/// Without target or budget: the point that lies highest above the line from nothing to all that was found, short of the whole model.
void choose_knee(RecommendResult& result) {
  const auto& front = result.front;
  const auto value = [&](const PrecisionPoint& point) { return std::min(point.sqnr, kGoodEnough); };
  std::size_t last = front.size() - 1;
  if (last > 0 && front[last].operators.size() == result.operators) --last;
  const double won = value(front[last]) - value(front[0]);
  const auto paid = static_cast<double>(std::max<std::int64_t>(front[last].added_bytes, 1));
  double best = 0;
  for (std::size_t i = 1; i <= last && won > 0; ++i) {
    const double height = (value(front[i]) - value(front[0])) / won - static_cast<double>(front[i].added_bytes) / paid;
    if (height > best || result.chosen == 0) best = height, result.chosen = i;
  }
  result.choice = result.chosen > 0 ? "the most for its cost" : "no set short of the whole model wins anything";
}

void choose(const RecommendOptions& options, RecommendResult& result) {
  const auto& front = result.front;
  const auto first = [&](const auto& good) { return as_size(std::find_if(front.begin(), front.end(), good) - front.begin()); };
  if (options.target_sqnr) {
    result.chosen = first([&](const PrecisionPoint& point) { return point.sqnr >= *options.target_sqnr; });
    result.choice = fmt::format("the cheapest with at least {} dB", *options.target_sqnr);
  } else if (options.target_drop) {
    result.chosen = first([&](const PrecisionPoint& point) { return point.accuracy_drop && *point.accuracy_drop <= *options.target_drop; });
    result.choice = fmt::format("the cheapest that loses at most {} points of accuracy", *options.target_drop);
  } else if (options.budget >= 0) {
    result.chosen = front.size() - 1;
    result.choice = fmt::format("the best for at most {} bytes", options.budget);
  } else {
    choose_knee(result);
  }
  result.target_met = result.chosen < front.size();
  if (result.target_met) return;
  result.chosen = front.size() - 1;
  result.choice = "the best that was found, short of the target";
}

QuantizerConfig config_of(const Model& reference, const Model& quantized, const PrecisionPoint& point, const std::string& to) {
  QuantizerConfig config{std::filesystem::path(reference.path).filename().string(), "int8", {}};
  for (const Operator& op : quantized.main().operators) {
    if (op.outputs.empty()) continue;
    const TensorInfo& output = quantized.main().tensors[as_size(op.outputs[0])];
    if (!output.quantization.quantized()) continue;
    config.default_dtype = name(output.dtype);
    break;
  }
  const auto names = tensor_names(reference.main());
  for (const int index : point.operators) {
    const Operator& op = reference.main().operators[as_size(index)];
    QuantizerConfig::Layer layer;
    layer.op = op.label();
    layer.dtype = to;
    for (const int output : op.outputs) layer.outputs.push_back(names[as_size(output)]);
    layer.name = layer.outputs.front();
    const auto& outputs = reference.main().outputs;
    layer.makes_output = std::any_of(op.outputs.begin(), op.outputs.end(),
                                     [&](int output) { return std::find(outputs.begin(), outputs.end(), output) != outputs.end(); });
    config.layers.push_back(std::move(layer));
  }
  return config;
}

DiagnoseOptions diagnose_options(const RecommendOptions& options) {
  DiagnoseOptions result;
  static_cast<RunRequest&>(result) = options;
  return result;
}

}  // namespace
}  // namespace diagnosis

Result<RecommendResult> recommend(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const RecommendOptions& options) {
  using namespace diagnosis;
  RecommendResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, analysis::run_identity(data.description(), options));
  result.to = options.to;
  VISQ_ASSIGN(const auto pair, MeasuredPair::create(reference, quantized, data, options.records));
  VISQ_ASSIGN(const Repaired repaired, repair(*pair, diagnose_options(options), result));
  if (!repaired.edit.empty()) {
    VISQ_ASSIGN(result.repaired_model, write_edited(*quantized, repaired.edit));
  }
  VISQ_ASSIGN(const auto models, analysis::PartialModels::create(reference, repaired.model));
  PrecisionSearch search(*models, data, options);
  VISQ_ASSIGN(auto points, search.run());
  result.interrupted = options.stop != nullptr && options.stop->load();
  if (result.interrupted) return result;
  result.operators = search.operators();
  result.weight_bytes = search.weight_bytes();
  result.mac_bits = search.mac_bits();
  result.front = front_of(std::move(points));
  if (options.labelled != nullptr) VISQ_TRY(add_accuracy(*models, search, options, result.front));
  result.interrupted = options.stop != nullptr && options.stop->load();
  if (result.interrupted) return result;
  choose(options, result);
  result.unrepaired_sqnr = result.front[result.chosen].sqnr;
  if (!repaired.edit.empty()) {
    VISQ_ASSIGN(const auto as_is, analysis::PartialModels::create(reference, quantized));
    VISQ_ASSIGN(result.unrepaired_sqnr, PrecisionSearch(*as_is, data, options).simulate(result.front[result.chosen].operators));
  }
  result.config = config_of(*reference, *quantized, result.front[result.chosen], options.to);
  return result;
}

}  // namespace visq
