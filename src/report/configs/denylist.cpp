// Deny list for TFLite's QuantizationDebugOptions: denylisted_nodes, the output tensors of operators that stay float.
#include "report/config_format.h"
#include "report/json/json_text.h"

namespace visq::report::config_denylist {
namespace {

std::string write(const QuantizerConfig& config) {
  Json json;
  json["denylisted_nodes"] = Json::array();
  for (const QuantizerConfig::Layer& layer : config.layers) {
    for (const std::string& output : layer.outputs) json["denylisted_nodes"].push_back(json_string(output));
  }
  return json_text(json);
}

}  // namespace

std::span<const ConfigDef> definitions() {
  static const ConfigDef def{{"denylist", "denylisted_nodes for TFLite's QuantizationDebugOptions", "sensitive.denylist.json"}, write};
  return {&def, 1};
}

}  // namespace visq::report::config_denylist
