// extract's result JSON: visq.extract/1.
#include "report/json/json_parts.h"
#include "visq/report/extract.h"

namespace visq::report {
namespace {

Json json_operators(const std::vector<MapIdentity>& operators) {
  Json list = Json::array();
  for (const MapIdentity& op : operators) {
    list.push_back({{"subgraph", op.subgraph}, {"index", op.node}, {"name", json_string(op.name)}, {"op", json_string(op.op)}});
  }
  return list;
}

Json json_maps(const std::vector<MapIdentity>& maps) {
  Json list = Json::array();
  for (const MapIdentity& map : maps) list.push_back(json_quantized(map));
  return list;
}

Json json_part(const ExtractedPart& part, const std::string& file, const std::string& outputs) {
  Json json = json_model(part.model);
  json["mode"] = name(part.mode);
  json["operators"] = json_operators(part.operators);
  json["inputs"] = json_maps(part.inputs);
  json["outputs"] = json_maps(part.outputs);
  json["files"] = {{"model", json_string(file)}, {"outputs", json_string(outputs)}};
  return json;
}

}  // namespace

std::string extract_json(const ExtractResult& result, const ExtractFiles& files) {
  Json json;
  json["schema"] = "visq.extract/1";
  json["node"] = json_string(result.node);
  add_display(json, result.display);
  json["remark"] = json_string(result.remark);
  json["data"] = json_data(result);
  json["data"]["inputs"] = files.data;
  json["reference"] = json_part(result.reference, files.reference_model, files.reference_outputs);
  json["quantized"] = json_part(result.quantized, files.quantized_model, files.quantized_outputs);
  if (!files.quantized_inputs.empty()) {
    json["quantized"]["files"]["own_inputs"] = files.quantized_inputs;
    json["quantized"]["files"]["own_outputs"] = files.quantized_own_outputs;
  }
  return json_text(json);
}

}  // namespace visq::report
