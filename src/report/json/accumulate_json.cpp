// accumulate's result JSON: visq.accumulate/1.
#include "report/json/json_parts.h"
#include "visq/report/accumulate.h"

namespace visq::report {
namespace {

Json json_averages(const AccumulateResult& result, const AccumulatedError& error) {
  Json averages = Json::object();
  for (std::size_t i = 0; i < error.averages.size(); ++i) {
    const bool finite = error.averages[i].state == MetricValue::State::kFinite;
    averages[std::string(metric_info(result.metrics[i]).name)] = finite ? json_number(error.averages[i].value) : Json(nullptr);
  }
  return averages;
}

Json json_error(const AccumulateResult& result, const AccumulatedError& error) {
  Json json;
  add_metrics(json, result.metrics, error.metrics);
  json["differing_share"] = error.differing ? json_number(*error.differing) : Json(nullptr);
  if (result.average) json["averages"] = json_averages(result, error);
  if (!error.not_compared.empty()) json["not_compared"] = json_string(error.not_compared);
  return json;
}

Json json_curve(const AccumulateResult& result, const AccumulateCurve& curve) {
  Json json;
  json["label"] = json_string(curve.label);
  json["keep_float"] = curve.keep_float;
  json["members"] = Json::array();
  for (const std::string& member : curve.members) json["members"].push_back(json_string(member));
  json["displays"] = Json::array();
  for (const std::string& display : curve.displays) json["displays"].push_back(json_string(display));
  json["output"] = json_error(result, curve.output);
  return json;
}

Json json_node(const AccumulateResult& result, std::size_t index) {
  const AccumulatedNode& node = result.nodes[index];
  Json json;
  add_identity(json, node.reference);
  json["quantized"] = node.quantized ? json_quantized(*node.quantized) : Json(nullptr);
  json["curves"] = Json::array();
  for (const AccumulateCurve& curve : result.curves) json["curves"].push_back(json_error(result, curve.nodes[index]));
  return json;
}

}  // namespace

std::string accumulate_json(const AccumulateResult& result) {
  Json json;
  json["schema"] = "visq.accumulate/1";
  add_run_with_modes(json, result);
  json["metrics"] = Json::array();
  for (const Metric metric : result.metrics) json["metrics"].push_back(metric_info(metric).name);
  json["average"] = result.average;
  json["outputs"] = Json::array();
  for (const MapIdentity& output : result.outputs) {
    Json each;
    add_identity(each, output);
    json["outputs"].push_back(std::move(each));
  }
  json["curves"] = Json::array();
  for (const AccumulateCurve& curve : result.curves) json["curves"].push_back(json_curve(result, curve));
  json["nodes"] = Json::array();
  for (std::size_t i = 0; i < result.nodes.size(); ++i) json["nodes"].push_back(json_node(result, i));
  json["gaps"] = json_gaps(result.gaps);
  json["not_computed"] = Json::array();
  for (const NotComputed& missing : result.not_computed) {
    json["not_computed"].push_back({{"index", missing.map.node},
                                    {"name", json_string(missing.map.name)},
                                    {"op", json_string(missing.map.op)},
                                    {"reason", json_string(missing.reason)}});
  }
  json["remarks"] = Json::array();
  for (const std::string& remark : result.remarks) json["remarks"].push_back(json_string(remark));
  return json_text(json);
}

}  // namespace visq::report
