#include "report/page/html_analyses.h"

#include <cmath>

#include <fmt/core.h>

#include "core/as_size.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/accumulate.h"

namespace visq::report {
namespace {

/// A value of SQNR that a result keeps as a plain double.
Json decibels(double value) { return std::isinf(value) && value > 0 ? Json("inf") : json_short(value); }

Json json_finding(const Finding& finding, const Places& places) {
  Json evidence = Json::array();
  for (const auto& [what, value] : finding.evidence) evidence.push_back({what, json_short(value)});
  return {{"cause", finding.cause},
          {"severity", finding.severity == Severity::kHint ? "info" : name(finding.severity)},
          {"tensor", json_string(finding.name)},
          {"display", json_string(shown_name(finding))},
          {"op", json_string(finding.op)},
          {"map", places.map(finding)},
          {"text", json_string(finding.text)},
          {"evidence", std::move(evidence)},
          {"fix", json_string(finding.fix)},
          {"configuration", json_string(finding.configuration)},
          {"gain", finding.tried && !finding.stands_in ? json_short(finding.gain_db) : Json(nullptr)}};
}

/// Per layer: name, map, MSE in units of the variance of the reference's values, cosine, SQNR, whether it is degraded.
Json json_losses(const std::vector<LayerLoss>& losses, const Places& places) {
  Json out = Json::array();
  for (const LayerLoss& loss : losses) {
    const double variance = loss.mse_limit / DiagnoseOptions().degraded_mse;
    Json map = places.map_called(loss.name);
    out.push_back({map.is_null() ? json_string(shown_name(loss)) : Json(""), std::move(map),
                   json_short(loss.mse == 0 ? 0 : loss.mse / variance), json_short(loss.cosine), decibels(loss.sqnr),
                   loss.degraded ? 1 : 0});
  }
  return out;
}

}  // namespace

Json json_diagnosis(const DiagnoseResult& result, const Places& places) {
  Json findings = Json::array(), remarks = Json::array(), measures = Json::array(), outputs = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(json_finding(finding, places));
  for (const GlobalRemark& remark : result.remarks) remarks.push_back(json_string(remark.text));
  for (const std::string& measure : result.measures) measures.push_back(json_string(measure));
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    outputs.push_back({json_string(shown_output(result, i)), decibels(result.output_sqnr[i])});
  }
  return {{"mode", name(result.quantized_mode)},
          {"records", judgement_text(result.judgement)},
          {"findings", std::move(findings)},
          {"remarks", std::move(remarks)},
          {"measures", std::move(measures)},
          {"outputs", std::move(outputs)},
          {"limits", {DiagnoseOptions().degraded_mse, DiagnoseOptions().degraded_cosine, DiagnoseOptions().degraded_sqnr}},
          {"losses", json_losses(result.losses, places)}};
}

Json json_sensitivity(const SensitivityResult& result, const Places& places) {
  Json metrics = Json::array(), rows = Json::array();
  for (const Metric metric : result.metrics) metrics.push_back(metric_info(metric).label);
  for (const Sensitivity& each : result.nodes) {
    const SensitivePart& part = each.part;
    rows.push_back({{"rank", each.rank},
                    {"name", json_string(part.reference.name)},
                    {"type", sensitive_type(part)},
                    {"op", json_string(part.reference.op)},
                    {"map", places.map(part.reference)},
                    {"dtype", part.quant_dtype},
                    {"threshold", json_short(part.threshold)},
                    {"flops", json_short(part.flops_share)},
                    {"metrics", metric_values(each.metrics)}});
  }
  return {{"metrics", std::move(metrics)},
          {"records", result.records.last - result.records.first},
          {"all", metric_values(result.all_quantized)},
          {"rows", std::move(rows)}};
}

namespace {

Json json_spread(const ValueStatistics& values) {
  return {json_short(values.min), json_short(values.max), json_short(values.mean), json_short(values.deviation())};
}

}  // namespace

Json json_weights(const std::vector<WeightProfile>& weights, const Places& places) {
  Json out = Json::array();
  for (const WeightProfile& weight : weights) {
    out.push_back({{"name", json_string(weight.reference_name)},
                   {"op", json_string(weight.reference.op)},
                   {"map", places.map(weight.reference)},
                   {"attribute", weight.attribute},
                   {"dtype", name(weight.quantized_dtype)},
                   {"reference", json_spread(weight.reference_values)},
                   {"quantized", json_spread(weight.quantized_values)},
                   {"mse", json_short(weight.mse)},
                   {"sqnr", decibels(weight.sqnr)}});
  }
  return out;
}

namespace {

Json json_curve(const AccumulateCurve& curve) {
  Json values = Json::array();
  for (const AccumulatedError& node : curve.nodes)
    values.push_back(node.metrics.empty() ? Json(nullptr) : metric_value(node.metrics.front()));
  return {{"label", json_string(curve_label(curve))},
          {"members", curve.members.size()},
          {"output", curve.output.metrics.empty() ? Json(nullptr) : metric_value(curve.output.metrics.front())},
          {"values", std::move(values)}};
}

Json json_error(const OutputError& error) { return error.metrics.empty() ? Json(nullptr) : metric_value(error.metrics.front()); }

}  // namespace

Json json_short(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
  const bool whole = rounded == std::floor(rounded) && std::fabs(rounded) < 1e9;
  return whole ? Json(static_cast<std::int64_t>(rounded)) : Json(rounded);
}

Json metric_value(const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return "inf";
  return value.state == MetricValue::State::kFinite ? json_short(value.value) : Json(nullptr);
}

Json metric_values(const std::vector<MetricValue>& values) {
  Json out = Json::array();
  for (const MetricValue& value : values) out.push_back(metric_value(value));
  return out;
}

Json json_accumulation(const AccumulateResult& result, const Places& places) {
  Json nodes = Json::array(), curves = Json::array();
  for (const AccumulatedNode& node : result.nodes) {
    Json map = places.map(node.reference);
    nodes.push_back({map.is_null() ? json_string(shown_name(node.reference)) : Json(""), std::move(map)});
  }
  for (const AccumulateCurve& curve : result.curves) curves.push_back(json_curve(curve));
  const MetricInfo& metric = metric_info(result.metrics.front());
  return {{"metric", metric.label},
          {"records", result.records.last - result.records.first},
          {"nodes", std::move(nodes)},
          {"curves", std::move(curves)}};
}

Json json_partial(const PartialResult& result, const Places& places) {
  Json steps = Json::array();
  for (const PartialStep& step : result.steps) {
    Json map = places.map(step.part.reference);
    const Json name = map.is_null() ? json_string(shown_name(step.part.reference)) : Json("");
    steps.push_back({name, std::move(map), json_error(step.alone), json_error(step.kept_float)});
  }
  return {{"metric", metric_info(result.metrics.front()).label},
          {"picked_by", name(result.picked_by)},
          {"threshold", result.pick_threshold},
          {"candidates", result.candidates},
          {"records", result.records.last - result.records.first},
          {"none", json_error(result.none)},
          {"steps", std::move(steps)}};
}

Json json_operators(const FullReport& report, const Places& places) {
  const CompareResult& result = report.comparison;
  Json macs = Json::array();
  for (const GraphNode& node : result.graph.nodes) {
    Json count;
    if (report.reference && node.kind == GraphNode::Kind::kOperator) {
      const auto& made = report.reference->subgraphs[as_size(node.subgraph)].operators[as_size(node.index)].macs;
      if (made) count = *made;
    }
    macs.push_back(std::move(count));
  }
  Json out{{"macs", std::move(macs)}};
  if (!report.times) return out;
  const auto seconds = [](const OperatorTime& time) { return json_short(time.median_seconds); };
  Json reference = Json::array(), quantized = Json::array(), others = Json::array();
  for (const OperatorTime& time : report.times->reference) reference.push_back({places.node(time.map), seconds(time)});
  for (const OperatorTime& time : report.times->quantized) {
    const Json map = places.quantized_map(time.map);
    const Json node = map.is_null() ? Json(nullptr) : places.node(result.maps[map.get<std::size_t>()].reference);
    if (node.is_null()) {
      others.push_back({json_string(time.map.op), json_string(shown_name(time.map)), seconds(time)});
    } else {
      quantized.push_back({node, seconds(time)});
    }
  }
  out["runs"] = report.times->runs;
  out["reference"] = std::move(reference);
  out["quantized"] = std::move(quantized);
  out["others"] = std::move(others);
  return out;
}

}  // namespace visq::report
