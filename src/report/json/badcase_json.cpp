// badcase's result JSON: visq.badcase/1.
#include "report/json/json_parts.h"
#include "visq/report/badcase.h"

namespace visq::report {
namespace {

Json metric_name(Metric metric) { return metric == Metric::kNone ? Json(nullptr) : Json(metric_info(metric).name); }

Json json_output(const BadcaseOutput& output) {
  Json json;
  add_identity(json, output.reference);
  json["quantized"] = json_quantized(output.quantized);
  json["shape"] = std::vector<std::int64_t>(output.shape.dims().begin(), output.shape.dims().end());
  json["integer"] = output.integer;
  if (!output.not_compared.empty()) json["not_compared"] = json_string(output.not_compared);
  return json;
}

Json json_case(const BadCase& bad, const BadcaseOutput& output) {
  Json json;
  json["output"] = bad.output;
  json["name"] = json_string(output.reference.name);
  json["by"] = metric_name(bad.metric);
  json["record"] = bad.record;
  Json values;
  add_metrics(values, every_metric(), bad.values);
  json["metrics"] = std::move(values["metrics"]);
  json["state"] = std::move(values["state"]);
  json["differing_share"] = output.integer ? json_number(bad.differing_share) : Json(nullptr);
  json["non_finite"] = bad.non_finite;
  return json;
}

}  // namespace

std::string badcase_json(const BadcaseResult& result) {
  Json json;
  json["schema"] = "visq.badcase/1";
  add_run_with_modes(json, result);
  json["post"] = result.post == PostProcess::kNone ? Json(nullptr) : Json(name(result.post));
  json["by"] = Json::array();
  for (const Metric metric : result.by) json["by"].push_back(metric_name(metric));
  json["outputs"] = Json::array();
  for (const BadcaseOutput& output : result.outputs) json["outputs"].push_back(json_output(output));
  json["cases"] = Json::array();
  for (const BadCase& bad : result.cases) json["cases"].push_back(json_case(bad, result.outputs[bad.output]));
  json["worst_output"] = Json::array();
  for (const std::size_t index : result.worst_output) json["worst_output"].push_back(index);
  if (result.sums) json["sums"] = json_sums(*result.sums, result.by);
  return json_text(json);
}

}  // namespace visq::report
