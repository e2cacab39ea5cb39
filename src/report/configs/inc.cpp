// Per-operator dictionary of a neural compressor (op_name_dict): the listed operators stay float, or get more bits where that is asked for.
#include "report/config_format.h"
#include "report/json/json_text.h"

namespace visq::report::config_inc {
namespace {

std::string write(const QuantizerConfig& config) {
  JsonMembers operators;
  for (const QuantizerConfig::Layer& layer : config.layers) {
    const std::string dtype = layer.dtype.empty() || layer.dtype == "float32" ? "fp32" : layer.dtype;
    const std::string weights = dtype == "int16" ? "int8" : dtype;  // int16x8
    Json entry = {{"activation", {{"dtype", {dtype}}}}, {"weight", {{"dtype", {weights}}}}};
    if (dtype != "fp32") entry["weight"]["granularity"] = {layer.per_channel ? "per_channel" : "per_tensor"};
    operators.add(layer.name, std::move(entry));
  }
  return json_text(operators.take());
}

}  // namespace

std::span<const ConfigDef> definitions() {
  static const ConfigDef def{{"inc", "op_name_dict for a neural compressor", "sensitive.op_name_dict.json"}, write};
  return {&def, 1};
}

}  // namespace visq::report::config_inc
