// inspect's result JSON: visq.inspect/1.
#include "report/json/json_text.h"
#include "visq/report/inspect.h"

namespace visq::report {
namespace {

Json json_option(const Attribute& value) {
  struct Visitor {
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t number) const { return number; }
    Json operator()(double number) const { return json_number(number); }
    Json operator()(const std::string& text) const { return json_string(text); }
    Json operator()(const std::vector<std::int64_t>& numbers) const { return numbers; }
    Json operator()(const std::vector<double>& numbers) const {
      Json list = Json::array();
      for (const double number : numbers) list.push_back(json_number(number));
      return list;
    }
  };
  return std::visit(Visitor{}, value);
}

Json json_count(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(nullptr); }

Json json_quantization(const Quantization& quantization) {
  Json json;
  if (quantization.block_size > 0) {
    json["block_size"] = quantization.block_size;
    json["block_scales"] = quantization.block_scales;
    json["block_zero_points"] = quantization.block_zero_points < 0 ? Json(nullptr) : Json(quantization.block_zero_points);
    return json;
  }
  json["scale"] = Json::array();
  for (const float scale : quantization.scale) json["scale"].push_back(json_number(static_cast<double>(scale)));
  json["zero_point"] = quantization.zero_point;
  if (quantization.per_channel()) json["axis"] = quantization.axis;
  return json;
}

Json json_tensor(const InspectedTensor& tensor) {
  Json json;
  json["index"] = tensor.index;
  json["name"] = json_string(tensor.name);
  json["dtype"] = name(tensor.dtype);
  json["shape"] = tensor.has_rank ? Json(std::vector<std::int64_t>(tensor.shape.dims().begin(), tensor.shape.dims().end())) : Json(nullptr);
  if (!tensor.shape_signature.empty()) json["shape_signature"] = tensor.shape_signature;
  json["kind"] = tensor.constant ? "constant" : tensor.variable ? "variable" : "activation";
  if (tensor.constant) json["bytes"] = tensor.bytes;
  if (tensor.sparse) json["sparse"] = true;
  const bool quantized = tensor.quantization.quantized() || tensor.quantization.block_size > 0;
  json["quantization"] = quantized ? json_quantization(tensor.quantization) : Json(nullptr);
  return json;
}

Json json_operator(const InspectedOperator& op) {
  Json json;
  json["index"] = op.index;
  json["op"] = json_string(op.type);
  json["version"] = op.version;
  json["can_run"] = op.can_run;
  json["macs"] = json_count(op.macs);
  json["options"] = Json::object();
  for (const auto& [key, value] : op.options.all()) json["options"][key] = json_option(value);
  json["inputs"] = Json::array();
  for (const int input : op.inputs) json["inputs"].push_back(input < 0 ? Json(nullptr) : Json(input));
  json["outputs"] = op.outputs;
  return json;
}

Json json_subgraph(const InspectedSubgraph& graph, std::size_t index) {
  Json json;
  json["index"] = index;
  json["name"] = json_string(graph.name);
  json["inputs"] = graph.inputs;
  json["outputs"] = graph.outputs;
  json["nodes"] = Json::array();
  for (const InspectedOperator& op : graph.operators) json["nodes"].push_back(json_operator(op));
  json["tensors"] = Json::array();
  for (const InspectedTensor& tensor : graph.tensors) json["tensors"].push_back(json_tensor(tensor));
  return json;
}

Json json_names(const std::vector<std::pair<std::string, int>>& names) {
  Json list = Json::array();
  for (const auto& [name, tensor] : names) list.push_back({{"name", json_string(name)}, {"tensor", tensor}});
  return list;
}

}  // namespace

std::string inspect_json(const Inspection& inspection) {
  Json json;
  json["schema"] = "visq.inspect/1";
  json["model"] = {{"file", json_string(inspection.path)},
                   {"format", inspection.format},
                   {"version", inspection.version},
                   {"description", json_string(inspection.description)},
                   {"bytes", inspection.file_bytes}};
  json["quantization"] = inspection.quantization;
  json["operators"] = inspection.operators;
  json["macs"] = inspection.macs;
  json["macs_unknown"] = inspection.macs_unknown;
  json["dynamic_shapes"] = inspection.dynamic_shapes;
  json["parameters"] = {{"elements", inspection.parameters.elements}, {"bytes", inspection.parameters.bytes}};
  json["types"] = Json::array();
  for (const OperatorCount& type : inspection.types) {
    json["types"].push_back({{"op", json_string(type.type)}, {"count", type.count}, {"macs", type.macs}, {"can_run", type.can_run}});
  }
  json["signatures"] = Json::array();
  for (const Signature& signature : inspection.signatures) {
    json["signatures"].push_back({{"key", json_string(signature.key)},
                                  {"subgraph", signature.subgraph},
                                  {"inputs", json_names(signature.inputs)},
                                  {"outputs", json_names(signature.outputs)}});
  }
  for (const ContainerSection& section : inspection.sections) {
    json["sections"].push_back({{"kind", json_string(section.kind)},
                                {"model", json_string(section.model)},
                                {"begin", section.begin},
                                {"end", section.end},
                                {"is_model", section.is_model}});
  }
  json["subgraphs"] = Json::array();
  for (std::size_t i = 0; i < inspection.subgraphs.size(); ++i) json["subgraphs"].push_back(json_subgraph(inspection.subgraphs[i], i));
  return json_text(json);
}

}  // namespace visq::report
