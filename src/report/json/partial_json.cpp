// partial's result JSON: visq.partial/1.
#include "report/json/json_parts.h"
#include "visq/report/partial.h"

namespace visq::report {
namespace {

Json json_error(const PartialResult& result, const OutputError& error) {
  Json json;
  add_metrics(json, result.metrics, error.metrics);
  json["differing_share"] = error.integer_outputs ? json_number(error.differing_share) : Json(nullptr);
  if (!error.not_compared.empty()) json["not_compared"] = json_string(error.not_compared);
  return json;
}

Json json_step(const PartialResult& result, const PartialStep& step) {
  Json json;
  json["type"] = sensitive_type(step.part);
  add_identity(json, step.part.reference);
  json["quantized"] = json_quantized(step.part.quantized);
  json["alone"] = json_error(result, step.alone);
  json["kept_float"] = json_error(result, step.kept_float);
  return json;
}

}  // namespace

std::string partial_json(const PartialResult& result) {
  Json json;
  json["schema"] = "visq.partial/1";
  add_run_with_modes(json, result);
  json["metrics"] = Json::array();
  for (const Metric metric : result.metrics) json["metrics"].push_back(metric_info(metric).name);
  json["picked_by"] = name(result.picked_by);
  json["pick_threshold"] = json_number(result.pick_threshold);
  json["ranking"] = result.ranking.empty() ? Json(nullptr) : json_string(result.ranking);
  json["candidates"] = result.candidates;
  json["outputs"] = Json::array();
  for (const MapIdentity& output : result.outputs) {
    Json each;
    add_identity(each, output);
    json["outputs"].push_back(std::move(each));
  }
  json["none"] = json_error(result, result.none);
  json["steps"] = Json::array();
  for (const PartialStep& step : result.steps) json["steps"].push_back(json_step(result, step));
  json["gaps"] = json_gaps(result.gaps);
  json["remarks"] = Json::array();
  for (const std::string& remark : result.remarks) json["remarks"].push_back(json_string(remark));
  return json_text(json);
}

}  // namespace visq::report
