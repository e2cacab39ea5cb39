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
#include "diagnosis/precision_choice.h"
#include "diagnosis/precision_search.h"
#include "visq/graph.h"

namespace visq {
namespace diagnosis {
namespace {

/// Repairs: how many at most, and what each must be worth (see trials.cpp), in dB. Less may be nothing but the choice of records.
constexpr int kMostRepairs = 8;
constexpr double kLeastWorth = 1.5;

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

QuantizerConfig config_of(const analysis::PartialModels& models, const PrecisionForms& forms, const PrecisionPoint& point) {
  const Model& reference = models.reference();
  const quant::GraphIndex graph(reference.main());
  QuantizerConfig config;
  config.model = std::filesystem::path(reference.path).filename().string();
  config.default_dtype = "int8";
  config.float_maps = models.parts().activations().empty();
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
  const auto names = tensor_names(reference.main());
  for (const int index : point.operators) {
    for (const int part : fused(graph, *models.parts().find(index))) {
      const Operator& op = graph.op(part);
      QuantizerConfig::Layer layer;
      layer.op = op.label();
      layer.dtype = forms.kind().name;
      for (const int output : op.outputs) layer.outputs.push_back(names[as_size(output)]);
      layer.name = layer.outputs.front();
      config.layers.push_back(std::move(layer));
    }
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
  VISQ_ASSIGN(const PrecisionKind* const kind, precision_named(options.to));
  if (kind->saves() && options.budget >= 0) {
    return usage_error("--budget: --to {} adds no bytes; --target says how much it may lose", kind->name);
  }
  VISQ_ASSIGN(const auto pair, MeasuredPair::create(reference, quantized, data, options));
  VISQ_ASSIGN(const Repaired repaired, repair(*pair, diagnose_options(options), result));
  if (!repaired.edit.empty()) {
    VISQ_ASSIGN(result.repaired_model, write_edited(*quantized, repaired.edit));
  }
  VISQ_ASSIGN(const auto models, analysis::PartialModels::create(reference, repaired.model, options.pairs));
  VISQ_ASSIGN(const PrecisionForms forms, PrecisionForms::create(*models, *kind));
  PrecisionSearch search(*models, forms, data, options);
  VISQ_ASSIGN(auto points, search.run());
  result.interrupted = options.stop != nullptr && options.stop->load();
  if (result.interrupted) return result;
  result.operators = forms.candidates().size();
  result.weight_bytes = forms.weight_bytes();
  result.mac_bits = forms.mac_bits();
  result.front = front_of(std::move(points));
  if (options.labelled != nullptr) VISQ_TRY(add_accuracy(*models, forms, options, result.front));
  result.interrupted = options.stop != nullptr && options.stop->load();
  if (result.interrupted) return result;
  choose(options, *kind, result);
  const PrecisionPoint& chosen = result.front[result.chosen];
  result.unrepaired_sqnr = chosen.sqnr;
  if (!repaired.edit.empty()) {
    VISQ_ASSIGN(const auto as_is, analysis::PartialModels::create(reference, quantized, options.pairs));
    VISQ_ASSIGN(const PrecisionForms as_is_forms, PrecisionForms::create(*as_is, *kind));
    VISQ_ASSIGN(result.unrepaired_sqnr, PrecisionSearch(*as_is, as_is_forms, data, options).simulate(chosen.operators));
  }
  result.config = config_of(*models, forms, chosen);
  return result;
}

}  // namespace visq
