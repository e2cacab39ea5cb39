// Recipe of the AI Edge Quantizer: a list of rules of which later ones win. The first quantizes everything as the model is, the others take
// the listed operators out, or give them 16-bit activations. A rule's regex is searched in an operator's output names, each followed by
// ";".
#include "report/config_format.h"
#include "report/json/json_text.h"

namespace visq::report::config_aeq {
namespace {

/// The names as a regular expression that finds them literally.
std::string escaped(const QuantizerConfig::Layer& layer) {
  std::string text = "^";
  for (const std::string& name : layer.outputs) {
    for (const char c : name) {
      if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) text += '\\';
      text += c;
    }
    text += ';';
  }
  return text;
}

Json tensor_config(int bits, bool symmetric, const char* granularity) {
  return {{"num_bits", bits}, {"symmetric", symmetric}, {"granularity", granularity}, {"dtype", "INT"}};
}

Json quantized_rule(const std::string& regex, const std::string& operation, int activation_bits, bool per_channel) {
  Json rule;
  rule["regex"] = json_string(regex);
  rule["operation"] = operation;
  rule["algorithm_key"] = "min_max_uniform_quantize";
  rule["op_config"] = {{"activation_tensor_config", tensor_config(activation_bits, activation_bits == 16, "TENSORWISE")},
                       {"weight_tensor_config", tensor_config(8, true, per_channel ? "CHANNELWISE" : "TENSORWISE")},
                       {"compute_precision", "INTEGER"},
                       {"explicit_dequantize", false},
                       {"skip_checks", false},
                       {"min_weight_elements", 0}};
  return rule;
}

Json float_rule(const std::string& regex, const std::string& operation) {
  Json rule;
  rule["regex"] = json_string(regex);
  rule["operation"] = json_string(operation);
  rule["algorithm_key"] = "no_quantize";
  return rule;
}

std::string write(const QuantizerConfig& config) {
  Json rules = Json::array();
  rules.push_back(quantized_rule(".*", "*", config.default_dtype == "int16" ? 16 : 8, true));
  for (const QuantizerConfig::Layer& layer : config.layers) {
    if (layer.dtype == "int16") {
      rules.push_back(quantized_rule(escaped(layer), layer.op, 16, layer.per_channel));
      continue;
    }
    rules.push_back(float_rule(escaped(layer), layer.op));
    // Without this one the quantizer rounds the float output again, to a range of its own.
    if (layer.makes_output) rules.push_back(float_rule(escaped(layer), "OUTPUT"));
  }
  return json_text(rules);
}

}  // namespace

std::span<const ConfigDef> definitions() {
  static const ConfigDef def{{"aeq", "recipe for the AI Edge Quantizer", "sensitive.aeq.json"}, write};
  return {&def, 1};
}

}  // namespace visq::report::config_aeq
