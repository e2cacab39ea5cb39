// Mixed-precision configuration of the circle quantizers (one-quantize, circle-quantizer, MPQ editor): *.mpq.json. They know uint8 and
// int16, so every 8-bit default is "uint8", and a layer that asks for more gets int16.
#include "report/config_format.h"
#include "report/json/json_text.h"

namespace visq::report::config_mpq {
namespace {

std::string write(const QuantizerConfig& config) {
  const std::string base = config.default_dtype == "int16" ? "int16" : "uint8";
  Json json;
  json["default_quantization_dtype"] = base;
  json["default_granularity"] = "channel";
  json["model_path"] = json_string(config.model);
  json["layers"] = Json::array();
  for (const QuantizerConfig::Layer& layer : config.layers) {
    json["layers"].push_back(
        {{"name", json_string(layer.name)}, {"dtype", "int16"}, {"granularity", layer.per_channel ? "channel" : "layer"}});
  }
  return json_text(json);
}

}  // namespace

std::span<const ConfigDef> definitions() {
  static const ConfigDef def{{"mpq", "mixed-precision configuration for circle quantizers", "sensitive.mpq.json"}, write, false, true};
  return {&def, 1};
}

}  // namespace visq::report::config_mpq
