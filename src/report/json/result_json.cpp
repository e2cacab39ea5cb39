// result.json: see schema/compare.schema.json for the meaning of every key.
#include "core/as_size.h"
#include "report/json/device_json.h"
#include "report/json/json_parts.h"
#include "report/json/tokens_json.h"
#include "report/words/text.h"
#include "report/words/verdict_text.h"
#include "visq/report.h"

namespace visq {
namespace report {
namespace {

constexpr std::size_t kWholeNames = std::string::npos;

Json metric_list(const CompareResult& result, const std::vector<std::vector<MetricValue>>& rows) {
  Json out = Json::array();
  for (const auto& row : rows) {
    Json entry = Json::object();
    add_metrics(entry, result.metrics, row);
    out.push_back(std::move(entry));
  }
  return out;
}

Json statistics(const MapStatistics& s) {
  Json out;
  out["min"] = json_number(s.min);
  out["max"] = json_number(s.max);
  out["mean"] = json_number(s.mean);
  out["rms"] = json_number(s.rms);
  out["elements"] = s.elements;
  out["non_finite"] = s.non_finite;
  if (s.non_finite > 0) out["first_non_finite"] = {{"record", s.first_non_finite_record}, {"element", s.first_non_finite_element}};
  return out;
}

Json three_errors(const ThreeErrors& errors) {
  return {{"accumulated", json_number(errors.accumulated)},
          {"created", json_number(errors.created)},
          {"inherited", json_number(errors.inherited)}};
}

Json origin(const ErrorOrigin& values) {
  Json out = three_errors(values.errors);
  out["interaction"] = json_number(values.interaction);
  out["in_roundings"] = values.in_roundings ? three_errors(*values.in_roundings) : Json(nullptr);
  out["split"] = {{"weight_rounding", json_number(values.weight_rounding)},
                  {"inner_rounding", json_number(values.inner_rounding)},
                  {"output_rounding", json_number(values.output_rounding)},
                  {"output_clipping", json_number(values.output_clipping)}};
  out["noise_to_signal"] = json_number(values.noise_to_signal);
  out["output_share"] = json_number(values.output_share);
  out["measured_share"] = json_optional(values.measured_share);
  if (!values.not_computed.empty()) out["not_computed"] = json_string(values.not_computed);
  return out;
}

Json node(const CompareResult& result, const MapComparison& map) {
  Json out;
  add_identity(out, map.reference);
  out["quantized"] = json_quantized(map.quantized);
  out["paired_by"] = name(map.paired_by);
  if (map.weight_likeness) out["weight_likeness"] = json_number(*map.weight_likeness);
  if (map.map_correlation) out["map_correlation"] = json_number(*map.map_correlation);
  out["shape"] = std::vector<std::int64_t>(map.shape.dims().begin(), map.shape.dims().end());
  add_metrics(out, result.metrics, map.metrics);
  out["verdict"] = json_string(map.verdict);
  if (map.origin) out["origin"] = origin(*map.origin);
  if (!map.not_compared.empty()) {
    out["not_compared"] = json_string(map.not_compared);
    return out;
  }
  if (map.integer) out["differing_share"] = json_number(map.differing_share);
  out["saturated_share"] = json_number(map.saturated_share);
  out["statistics"] = {{"reference", statistics(map.reference_statistics)}, {"quantized", statistics(map.quantized_statistics)}};
  if (!map.per_record.empty()) out["per_record"] = metric_list(result, map.per_record);
  if (!map.per_channel.empty()) out["per_channel"] = metric_list(result, map.per_channel);
  return out;
}

Json outputs(const CompareResult& result) {
  Json out = Json::array();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const MapComparison& map = compared_output(result, i);
    Json entry;
    entry["name"] = json_string(map.reference.name);
    entry["subgraph"] = map.reference.subgraph;
    entry["index"] = map.reference.node;
    add_metrics(entry, result.metrics, map.metrics);
    if (map.integer) entry["differing_share"] = json_number(map.differing_share);
    out.push_back(std::move(entry));
  }
  return out;
}

Json verdict(const CompareResult& result) {
  const PairVerdict verdict = pair_verdict(result);
  if (verdict.basis == VerdictBasis::kNothing) return nullptr;
  constexpr std::string_view kBases[] = {"", "accuracy_drop", "sqnr", "cosine", "psnr", "differing_share", "non_finite"};
  Json out;
  out["health"] = name(verdict.health);
  out["basis"] = kBases[static_cast<int>(verdict.basis)];
  out["value"] = json_number(verdict.value);
  const MapComparison* first = verdict.first_node < 0 ? nullptr : &result.maps[as_size(verdict.first_node)];
  out["output"] = verdict.output < 0 ? Json(nullptr) : json_string(compared_output(result, as_size(verdict.output)).reference.name);
  out["first_node"] = nullptr;
  if (first != nullptr) add_identity(out["first_node"] = Json::object(), first->reference);
  out["sentence"] = json_string(verdict_sentence(result, verdict, kWholeNames));
  return out;
}

Json anomalies(const CompareResult& result) {
  Json out = Json::array();
  for (const Anomaly& anomaly : result.anomalies) {
    Json entry;
    add_identity(entry, anomaly.map);
    entry["kind"] = json_string(anomaly.kind);
    entry["value"] = json_number(anomaly.value);
    entry["limit"] = json_number(anomaly.limit);
    entry["record"] = anomaly.record < 0 ? Json(nullptr) : Json(anomaly.record);
    out.push_back(std::move(entry));
  }
  return out;
}

Json match(const MatchReport& report) {
  Json unpaired = Json::array(), warnings = Json::array();
  for (const Unpaired& each : report.unpaired) {
    Json entry;
    entry["model"] = each.in_reference ? "reference" : "quantized";
    add_identity(entry, each.map);
    entry["reason"] = json_string(each.reason);
    unpaired.push_back(std::move(entry));
  }
  for (const std::string& warning : report.warnings) warnings.push_back(json_string(warning));
  Json out;
  out["by_name"] = report.by_name;
  out["by_structure"] = report.by_structure;
  out["by_weights"] = report.by_weights;
  out["by_maps"] = report.by_maps;
  out["by_user"] = report.by_user;
  out["doubtful"] = Json::array();
  for (const DoubtfulPair& each : report.doubtful) {
    Json entry;
    add_identity(entry, each.reference);
    entry["quantized"] = json_quantized(each.quantized);
    entry["correlation"] = json_number(each.correlation);
    out["doubtful"].push_back(std::move(entry));
  }
  out["unpaired"] = std::move(unpaired);
  out["surplus_runs"] = Json::array();
  for (const SurplusRuns& each : report.surplus) {
    out["surplus_runs"].push_back(
        {{"model", each.in_reference ? "reference" : "quantized"}, {"subgraph", each.subgraph}, {"runs", each.runs}});
  }
  out["warnings"] = std::move(warnings);
  return out;
}

Json not_computed(const CompareResult& result) {
  Json out = Json::array();
  for (const NotComputed& each : result.not_computed) {
    Json entry;
    entry["model"] = json_string(each.model);
    add_identity(entry, each.map);
    entry["reason"] = json_string(each.reason);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace
}  // namespace report

std::string result_json(const CompareResult& result) {
  using namespace report;
  Json document;
  document["schema"] = "visq.compare/1";
  add_run_with_modes(document, result);
  document["interrupted"] = result.interrupted;
  Json nodes = Json::array();
  for (const MapComparison& map : result.maps) nodes.push_back(node(result, map));
  document["nodes"] = std::move(nodes);
  document["outputs"] = outputs(result);
  document["post"] = result.post == PostProcess::kNone ? Json(nullptr) : Json(name(result.post));
  document["verdict"] = verdict(result);
  document["accuracy"] = result.accuracy ? json_accuracy(*result.accuracy) : Json(nullptr);
  if (result.tokens && !result.tokens->output.empty()) document["tokens"] = json_tokens(*result.tokens);
  if (result.device) document["device"] = json_device(*result.device);
  document["remarks"] = Json::array();
  for (const std::string& remark : comparison_remarks(result)) document["remarks"].push_back(remark);
  if (const auto& gap = result.mode_gap) {
    document["mode_gap"] = {
        {"record", gap->record}, {"fake_quant_sqnr", json_number(gap->fake_quant)}, {"integer_sqnr", json_number(gap->integer)}};
  }
  document["anomalies"] = anomalies(result);
  document["match"] = match(result.match);
  document["not_computed"] = not_computed(result);
  if (result.sums) document["sums"] = json_sums(*result.sums, result.metrics);
  return json_text(document);
}

}  // namespace visq
