#include "visq/recommend.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "diagnosis/examination.h"
#include "diagnosis/recommend/doubts.h"
#include "diagnosis/recommend/precision_accuracy.h"
#include "diagnosis/recommend/precision_choice.h"
#include "diagnosis/recommend/precision_search.h"
#include "diagnosis/recommend/promise.h"
#include "kernels/op.h"
#include "visq/graph.h"

namespace visq {
namespace diagnosis {
namespace {

/// Repairs: how many at most, and what each must be worth (see trials.cpp), in dB. Less may be nothing but the choice of records.
constexpr int kMostRepairs = 8;
constexpr double kLeastWorth = 1.5;
/// What a repair may lose in fake quantization, in dB.
constexpr double kHarm = 1;
/// What all repairs must win over all records, in dB.
constexpr double kLeastWhole = 1;

double worst(const std::vector<double>& sqnr) { return sqnr.empty() ? kPerfect : *std::min_element(sqnr.begin(), sqnr.end()); }

struct Repaired {
  std::shared_ptr<const Model> model;
  ModelEdit edit;
};

/// What integer kernels win must not be lost in fake quantization: where errors feed on each other over many steps, one kind of kernels may
/// round luckily, and another, as accurate, does not.
bool holds_in_fake_quantization(const MeasuredPair& pair, const Model& model, const ModelEdit& edit) {
  const auto before = pair.what_if().run(edited(model, {}), Mode::kFakeQuant, Sample::kAll);
  const auto after = pair.what_if().run(edited(model, edit), Mode::kFakeQuant, Sample::kAll);
  return !before.ok() || !after.ok() || gain(before->outputs, after->outputs) > -kHarm;
}

/// The fault whose repair on a device is worth most; null where none is worth writing.
Fault* best_repair(const MeasuredPair& pair, const Model& model, Examination& examination) {
  std::vector<Fault*> faults;
  for (Fault& fault : examination.faults) {
    if (fault.edit_worth >= kLeastWorth) faults.push_back(&fault);
  }
  std::stable_sort(faults.begin(), faults.end(), [](const Fault* a, const Fault* b) { return a->edit_worth > b->edit_worth; });
  const auto holds = [&](const Fault* fault) { return holds_in_fake_quantization(pair, model, fault->edit); };
  const auto found = std::find_if(faults.begin(), faults.end(), holds);
  return found == faults.end() ? nullptr : *found;
}

/// Repairs one fault after the other as long as that wins something a device can have.
Result<Repaired> repair(const MeasuredPair& pair, const std::optional<LabelledScores>& scores, RecordSource& data,
                        const DiagnoseOptions& options, RecommendResult& result) {
  Repaired repaired{pair.subject().quantized_model(), {}};
  for (int round = 0; round <= kMostRepairs; ++round) {
    VISQ_ASSIGN(Examination examination, examine(pair, repaired.model, options));
    const double sqnr = worst(examination.trials->before().outputs);
    if (round == 0) {
      result.sqnr_before = sqnr, result.repair_mode = examination.trials->mode();
      auto remark = doubt(pair, *examination.symptoms, scores);
      if (!remark && !scores) {
        VISQ_ASSIGN(remark, doubt_data(pair, *examination.symptoms, *examination.trials, data, options));
      }
      if (remark) {
        result.remarks.push_back(*remark);
        result.doubtful = true;
        break;
      }
    }
    if (!result.repairs.empty()) result.repairs.back().sqnr = sqnr;
    const bool stopped = options.stop != nullptr && options.stop->load();
    if (round == kMostRepairs || stopped) break;
    Fault* const fault = best_repair(pair, *repaired.model, examination);
    if (fault == nullptr) break;
    fault->finding.fix = fault->edit_text;
    repaired.model = edited(*repaired.model, fault->edit);
    add(repaired.edit, fault->edit);
    result.repairs.push_back({std::move(fault->finding), 0});
  }
  return repaired;
}

/// The operators of the float graph that make what this one is paired for: itself, and those that the quantized model has fused into it.
std::vector<int> fused(const quant::GraphIndex& graph, const analysis::QuantizedParts::Node& node) {
  std::vector<int> operators{node.node}, open = node.outputs;
  while (!open.empty()) {
    const int maker = graph.maker(open.back());
    open.pop_back();
    if (maker <= node.node || std::find(operators.begin(), operators.end(), maker) != operators.end()) continue;
    operators.push_back(maker);
    const auto inputs = graph.data_inputs(maker);
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  std::sort(operators.begin(), operators.end());
  return operators;
}

/// Weights go through DEQUANTIZE, so that kernels compute in float.
bool reads_weights_as_floats(const Model& model) {
  const auto& operators = model.main().operators;
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
    return kernels::kind_of(op) == kernels::OpKind::kDequantize && model.main().tensors[as_size(op.inputs[0])].is_constant;
  });
}

QuantizerConfig config_of(const analysis::PartialModels& models, const PrecisionForms& forms, const PrecisionPoint& point) {
  const Model& reference = models.reference();
  const quant::GraphIndex graph(reference.main());
  QuantizerConfig config;
  config.model = std::filesystem::path(reference.path).filename().string();
  config.default_dtype = "int8";
  config.float_maps = models.parts().activations().empty();
  config.float_kernels = config.float_maps && reads_weights_as_floats(models.quantized());
  for (const Operator& op : models.quantized().main().operators) {
    if (op.outputs.empty()) continue;
    const TensorInfo& output = models.quantized().main().tensors[as_size(op.outputs[0])];
    if (!output.quantization.quantized()) continue;
    config.default_dtype = name(output.dtype);
    break;
  }
  const std::set<int> chosen(point.operators.begin(), point.operators.end());
  config.inputs_follow = forms.inputs_follow(chosen);
  config.outputs_follow = forms.outputs_follow(chosen);
  const auto names = tensor_names(reference.main()), shown = display_names(reference.main());
  for (const int index : point.operators) {
    for (const int part : fused(graph, *models.parts().find(index))) {
      const Operator& op = graph.op(part);
      QuantizerConfig::Layer layer;
      layer.op = op.label();
      layer.dtype = forms.kind().name;
      for (const int output : op.outputs) layer.outputs.push_back(names[as_size(output)]);
      layer.name = layer.outputs.front();
      layer.display = shown[as_size(op.outputs.front())];
      config.layers.push_back(std::move(layer));
    }
  }
  return config;
}

DiagnoseOptions diagnose_options(const RecommendOptions& options) {
  DiagnoseOptions result;
  static_cast<RunRequest&>(result) = options;
  result.repairs = options.repairs;
  result.sequence_length = options.sequence_length;
  return result;
}

bool is_quantized(const Model& model) {
  const auto& tensors = model.main().tensors;
  return std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& tensor) { return tensor.quantization.quantized(); });
}

/// A model whose weights are floats of fewer bits (float16): no operator has anything to win but those bits.
void keep_as_it_is(const Model& reference, const Model& quantized, RecommendResult& result) {
  result.front.push_back({{}, 0, 0, 0, 0, result.sqnr_before, result.sqnr_before, std::nullopt});
  result.choice = "nothing, since nothing is quantized";
  result.unrepaired = {result.sqnr_before, result.sqnr_before, result.sqnr_before, true};
  result.config.model = std::filesystem::path(reference.path).filename().string();
  result.config.float_maps = true;
  result.config.float_kernels = true;
  const auto& tensors = quantized.main().tensors;
  const bool half =
      std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& each) { return each.is_constant && each.dtype == DType::kFloat16; });
  result.config.default_dtype = half ? "float16" : "float32";
}

/// The outputs over all the data, in the mode of the repairs. Nothing where the caller does not ask for it.
Result<WholeSqnr> whole_outputs(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& model,
                                const RecommendOptions& options, const RecommendResult& result) {
  WholeSqnr whole;
  if (options.whole == nullptr) return whole;
  CompareOptions request;
  static_cast<RunRequest&>(request) = options;
  request.progress = {};  // told of trials
  request.records = options.whole_records;
  request.sequence.length = options.sequence_length;
  request.metrics = {metric_named("sqnr")};
  request.quantized_mode = result.repair_mode;
  request.modes_given = true;
  VISQ_ASSIGN(const CompareResult compared, compare(reference, model, *options.whole, request));
  whole.records = compared.records.last - compared.records.first;
  for (const std::string& output : result.outputs) {
    const MapComparison* map = find_map(compared, output);
    const MetricValue* sqnr = map == nullptr ? nullptr : find_metric(compared, *map, "sqnr");
    const bool finite = sqnr != nullptr && sqnr->state == MetricValue::State::kFinite;
    whole.outputs.push_back(finite ? sqnr->value : kPerfect);
  }
  return whole;
}

/// What the records that judge promised, and all of them do not keep.
void withdraw_repairs(RecommendResult& result) {
  result.remarks.push_back(
      {"nothing lasting",
       fmt::format("what repairs win on the {} records that judge them ({:.1f} to {:.1f} dB) is not there over all {}: {:.1f} "
                   "to {:.1f} dB; nothing is repaired",
                   result.judgement.records, result.sqnr_before, result.repairs.back().sqnr, result.whole.records,
                   worst(result.whole.outputs), worst(result.whole_repaired.outputs))});
  result.repairs.clear();
  result.whole_repaired = {};
}

/// Nothing without labels.
Result<std::optional<LabelledScores>> labelled_scores(const MeasuredPair& pair, const RecommendOptions& options) {
  if (options.labelled == nullptr || options.judge) return std::optional<LabelledScores>();
  const Subject& subject = pair.subject();
  VISQ_ASSIGN(const auto models, analysis::PartialModels::create(subject.reference_model(), subject.quantized_model(), options.pairs));
  LabelledScores scores;
  VISQ_ASSIGN(scores.as_given, float_score(*models, options));
  if (!pair.foreign_inputs().empty()) {
    const auto rescaled = in_calibrated_units(*options.labelled, pair.foreign_inputs());
    RecommendOptions other = options;
    other.labelled = rescaled.get();
    VISQ_ASSIGN(scores.rescaled, float_score(*models, other));
  }
  return std::optional(std::move(scores));
}

/// The quantized model with all repairs that win something, and what is to be said of them.
Result<std::shared_ptr<const Model>> repair(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                            RecordSource& data, const RecommendOptions& options, RecommendResult& result) {
  const DiagnoseOptions diagnose = diagnose_options(options);
  VISQ_ASSIGN(const auto pair, MeasuredPair::create(reference, quantized, data, diagnose));
  VISQ_ASSIGN(const auto scores, labelled_scores(*pair, options));
  result.judgement = pair->judgement();
  for (const int output : compared_outputs(pair->subject())) {
    result.outputs.push_back(pair->subject().names().name(output));
    result.output_displays.push_back(pair->subject().shown(output));
  }
  VISQ_ASSIGN(Repaired repaired, repair(*pair, scores, data, diagnose, result));
  VISQ_ASSIGN(result.whole, whole_outputs(reference, quantized, options, result));
  if (repaired.edit.empty()) return quantized;
  VISQ_ASSIGN(result.whole_repaired, whole_outputs(reference, repaired.model, options, result));
  if (options.whole != nullptr && gain(result.whole.outputs, result.whole_repaired.outputs) < kLeastWhole) {
    withdraw_repairs(result);
    return quantized;
  }
  VISQ_ASSIGN(result.repaired_model, write_edited(*quantized, repaired.edit));
  return std::move(repaired.model);
}

/// Which operators to give another precision; none where models and data do not belong together.
Status search(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data, const RecommendOptions& options,
              RecommendResult& result) {
  PrecisionSearch search(models, forms, data, options);
  result.operators = forms.candidates().size();
  result.weight_bytes = forms.weight_bytes();
  result.mac_bits = forms.mac_bits();
  if (result.doubtful) {
    VISQ_ASSIGN(const double sqnr, search.simulation().simulate({}));
    result.front.push_back({{}, 0, 0, 0, 0, sqnr, sqnr, std::nullopt});
    result.choice = "nothing, since models and data do not belong together";
    return {};
  }
  VISQ_ASSIGN(auto points, search.run());
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  result.interrupted = stopped();
  if (result.interrupted) return {};
  result.front = front_of(std::move(points));
  if (options.labelled != nullptr) VISQ_TRY(add_accuracy(models, forms, options, result.front));
  result.interrupted = stopped();
  if (!result.interrupted) choose(options, forms.kind(), result);
  return {};
}

}  // namespace
}  // namespace diagnosis

Result<RecommendResult> recommend(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const RecommendOptions& options) {
  using namespace diagnosis;
  RecommendResult result;
  static_cast<PairIdentity&>(result) = analysis::pair_identity(*reference, *quantized, analysis::run_identity(data.description(), options));
  result.sequence.length = options.sequence_length;
  result.to = options.to;
  VISQ_ASSIGN(const PrecisionKind* const kind, precision_named(options.to));
  if (kind->saves() && options.budget >= 0) {
    return usage_error("--budget: --to {} adds no bytes; --target says how much it may lose", kind->name);
  }
  VISQ_ASSIGN(const auto repaired, repair(reference, quantized, data, options, result));
  if (!is_quantized(*quantized)) {
    keep_as_it_is(*reference, *quantized, result);
    return result;
  }
  VISQ_ASSIGN(const auto models, analysis::PartialModels::create(reference, repaired, options.pairs));
  VISQ_ASSIGN(const PrecisionForms forms, PrecisionForms::create(*models, *kind));
  VISQ_TRY(search(*models, forms, data, options, result));
  if (result.interrupted) return result;
  PrecisionPoint chosen = result.front[result.chosen];
  result.config = config_of(*models, forms, chosen);
  if (result.repairs.empty()) {
    VISQ_ASSIGN(result.unrepaired, promise_of(*models, forms, data, options, chosen));
    const bool rounds_in_run = result.config.float_maps && !result.config.float_kernels && result.repair_mode == Mode::kInteger;
    if (rounds_in_run) result.unrepaired = with_rounding_in_run(result.unrepaired, result.sqnr_before, result.front.front().sqnr);
  } else {
    VISQ_ASSIGN(const auto as_is, analysis::PartialModels::create(reference, quantized, options.pairs));
    VISQ_ASSIGN(const PrecisionForms as_is_forms, PrecisionForms::create(*as_is, *kind));
    VISQ_ASSIGN(chosen.sqnr, PartSimulation(*as_is, as_is_forms, data, options).simulate(chosen.operators));
    VISQ_ASSIGN(result.unrepaired, promise_of(*as_is, as_is_forms, data, options, chosen));
  }
  return result;
}

}  // namespace visq
