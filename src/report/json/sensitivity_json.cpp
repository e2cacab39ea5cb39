// sensitivity's result JSON: visq.sensitivity/1.
#include "report/json/json_parts.h"
#include "visq/report/sensitivity.h"

namespace visq::report {
namespace {

Json json_strings(const std::vector<std::string>& strings) {
  Json json = Json::array();
  for (const std::string& text : strings) json.push_back(json_string(text));
  return json;
}

Json json_node(const Sensitivity& node, const std::vector<Metric>& metrics) {
  const SensitivePart& part = node.part;
  Json json;
  json["rank"] = node.rank;
  json["op_name"] = json_string(part.reference.name);
  add_display(json, part.reference.display);
  json["sensitive_type"] = sensitive_type(part);
  json["op_type"] = json_string(part.reference.op);
  json["node"] = part.reference.node;
  json["tensor"] = part.reference.tensor;
  json["quantized"] = {{"node", part.quantized.node},
                       {"tensor", part.quantized.tensor},
                       {"name", json_string(part.quantized.name)},
                       {"op_type", json_string(part.quantized.op)}};
  json["consumers"] = json_strings(part.consumers);
  add_metrics(json, metrics, node.metrics);
  json["differing_share"] = node.integer_outputs ? json_number(node.differing_share) : Json(nullptr);
  json["non_finite"] = node.non_finite;
  if (!node.not_compared.empty()) json["not_compared"] = json_string(node.not_compared);
  json["records"] = node.records;
  json["rank_interval"] = node.rank_low > 0 ? Json({node.rank_low, node.rank_high}) : Json(nullptr);
  json["quant_dtype"] = part.quant_dtype;
  json["threshold"] = json_number(part.threshold);
  json["bits"] = part.bits;
  json["flops"] = part.flops;
  json["flops_share"] = json_number(part.flops_share);
  return json;
}

}  // namespace

std::string sensitivity_json(const SensitivityResult& result) {
  Json json;
  json["schema"] = "visq.sensitivity/1";
  add_run_with_modes(json, result);
  json["types"] = Json::array();
  for (const SensitiveType type : result.types) json["types"].push_back(name(type));
  json["metrics"] = Json::array();
  for (const Metric metric : result.metrics) json["metrics"].push_back(metric_info(metric).name);
  json["leave_one_out"] = result.leave_one_out;
  json["reverse"] = result.reverse;
  json["outputs"] = Json::array();
  for (const MapIdentity& output : result.outputs) add_identity(json["outputs"].emplace_back(Json::object()), output);
  json["all_quantized"] = Json::object();
  add_metrics(json["all_quantized"], result.metrics, result.all_quantized);
  json["rank_interval"] = result.rank_interval.empty() ? Json(nullptr) : Json(result.rank_interval);
  json["estimate"] = result.estimate ? Json({{"trials_share", json_number(result.estimate_share)}}) : Json(nullptr);
  json["computed_share"] = json_number(result.computed_share);
  json["remarks"] = json_strings(result.remarks);
  json["gaps"] = json_gaps(result.gaps);
  json["nodes"] = Json::array();
  for (const Sensitivity& node : result.nodes) json["nodes"].push_back(json_node(node, result.metrics));
  return json_text(json);
}

}  // namespace visq::report
