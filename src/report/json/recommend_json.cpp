// recommend's result JSON: visq.recommend/1.
#include "report/json/json_parts.h"
#include "report/words/view.h"
#include "visq/report/recommend.h"

namespace visq::report {
namespace {

Json json_repair(const AppliedRepair& repair) {
  Json json = {{"tensor", json_string(repair.finding.name)},     {"cause", repair.finding.cause},
               {"fix", json_string(repair.finding.fix)},         {"configuration", json_string(repair.finding.configuration)},
               {"gain_db", json_number(repair.finding.gain_db)}, {"sqnr", json_number(repair.sqnr)}};
  add_display(json, repair.finding.display);
  return json;
}

Json json_point(const PrecisionPoint& point) {
  Json json;
  json["operators"] = point.operators;
  json["added_bytes"] = point.added_bytes;
  json["added_map_bytes"] = point.added_map_bytes;
  json["conversions"] = point.conversions;
  json["added_mac_bits"] = json_number(point.added_mac_bits);
  json["predicted_sqnr"] = json_number(point.predicted_sqnr);
  json["sqnr"] = json_number(point.sqnr);
  json["accuracy_drop"] = point.accuracy_drop ? json_number(*point.accuracy_drop) : Json(nullptr);
  return json;
}

}  // namespace

std::string recommend_json(const RecommendResult& result) {
  Json json;
  json["schema"] = "visq.recommend/1";
  add_run(json, result);
  json["to"] = result.to;
  json["repair_mode"] = name(result.repair_mode);
  json["judged"] = json_judgement(result.judgement);
  json["outputs"] = Json::array();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    Json output = {{"name", json_string(result.outputs[i])}};
    add_display(output, shown_output(result, i));
    add_whole_sqnr(output, result.whole, i);
    if (i < result.whole_repaired.outputs.size()) output["repaired_sqnr"] = json_number(result.whole_repaired.outputs[i]);
    json["outputs"].push_back(std::move(output));
  }
  json["remarks"] = Json::array();
  for (const GlobalRemark& remark : result.remarks) json["remarks"].push_back({{"kind", remark.kind}, {"text", json_string(remark.text)}});
  json["sqnr_before"] = json_number(result.sqnr_before);
  json["repairs"] = Json::array();
  for (const AppliedRepair& repair : result.repairs) json["repairs"].push_back(json_repair(repair));
  json["weight_bytes"] = json_number(result.weight_bytes);
  json["mac_bits"] = json_number(result.mac_bits);
  json["front"] = Json::array();
  for (const PrecisionPoint& point : result.front) json["front"].push_back(json_point(point));
  json["chosen"] = result.chosen;
  json["choice"] = result.choice;
  json["unrepaired_sqnr"] = json_number(result.unrepaired.sqnr);
  json["unrepaired_range"] = {json_number(result.unrepaired.low), json_number(result.unrepaired.high)};
  json["target_met"] = result.target_met;
  json["layers"] = Json::array();
  for (const QuantizerConfig::Layer& layer : result.config.layers) {
    json["layers"].push_back({{"name", json_string(layer.name)}, {"op", layer.op}, {"dtype", layer.dtype}});
    add_display(json["layers"].back(), layer.display);
  }
  return json_text(json);
}

}  // namespace visq::report
