// check's result JSON: visq.check/1.
#include <fmt/core.h>

#include <cmath>

#include "report/json/json_parts.h"
#include "visq/report/check.h"

namespace visq::report {
namespace {

Json json_finding(const StructureFinding& finding) {
  Json json;
  json["kind"] = finding.kind;
  json["severity"] = name(finding.severity);
  json["model"] = finding.in_reference ? "reference" : "model";
  json["subgraph"] = finding.subgraph;
  json["node"] = finding.node < 0 ? Json(nullptr) : Json(finding.node);
  json["op"] = finding.node < 0 ? Json(nullptr) : json_string(finding.op);
  json["tensor"] = finding.tensor < 0 ? Json(nullptr) : Json(finding.tensor);
  json["name"] = finding.tensor < 0 ? Json(nullptr) : json_string(finding.name);
  add_display(json, finding.display);
  json["text"] = json_string(finding.text);
  json["evidence"] = Json::object();
  for (const auto& [key, value] : finding.evidence) json["evidence"][key] = json_number(value);
  return json;
}

Json json_tensor(const CheckedTensor& tensor) {
  Json json;
  json["subgraph"] = tensor.subgraph;
  json["node"] = tensor.node;
  json["op"] = json_string(tensor.op);
  json["attribute"] = tensor.role;
  json["tensor"] = tensor.tensor;
  json["name"] = json_string(tensor.name);
  add_display(json, tensor.display);
  json["input_dtype"] = tensor.input_dtype ? Json(name(*tensor.input_dtype)) : Json(nullptr);
  json["dtype"] = name(tensor.dtype);
  json["axis"] = tensor.quantization.per_channel() ? Json(tensor.quantization.axis) : Json(nullptr);
  json["scale"] = json_scales(tensor.quantization.scale);
  json["zero_point"] = tensor.quantization.zero_point;
  json["min"] = json_optional(tensor.min);
  json["max"] = json_optional(tensor.max);
  return json;
}

}  // namespace

std::string check_json(const CheckResult& result) {
  Json json;
  json["schema"] = "visq.check/1";
  json["models"] = {{"reference", result.reference ? json_model(*result.reference) : Json(nullptr)}, {"model", json_model(result.model)}};
  json["quantization"] = result.quantization;
  json["operators"] = result.operators;
  json["checks"] = result.kinds;
  json["findings"] = Json::array();
  for (const StructureFinding& finding : result.findings) json["findings"].push_back(json_finding(finding));
  json["uses"] = Json::array();
  for (const UseCount& use : result.uses) {
    json["uses"].push_back({{"subgraph", use.subgraph},
                            {"tensor", use.tensor < 0 ? Json(nullptr) : Json(use.tensor)},
                            {"name", json_string(use.name)},
                            {"uses", use.uses}});
    add_display(json["uses"].back(), use.display);
  }
  json["tensors"] = Json::array();
  for (const CheckedTensor& tensor : result.tensors) json["tensors"].push_back(json_tensor(tensor));
  return json_text(json);
}

}  // namespace visq::report
