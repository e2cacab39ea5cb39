// Recipe of the AI Edge Quantizer: a list of rules of which later ones win. The first quantizes everything as the model is, the others take
// the listed operators out, or give them 16-bit activations or 4-bit weights. A rule's regex is searched in an operator's output names,
// each followed by ";". All inputs of the model are one operator INPUT for it, all outputs one OUTPUT.
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

Json rule_for(const std::string& regex, const std::string& operation, const char* algorithm) {
  Json rule;
  rule["regex"] = json_string(regex);
  rule["operation"] = json_string(operation);
  rule["algorithm_key"] = algorithm;
  return rule;
}

/// `activation_bits` 0: activations stay float.
Json quantized_rule(const std::string& regex, const std::string& operation, int activation_bits, const Json& weights) {
  Json rule = rule_for(regex, operation, "min_max_uniform_quantize");
  Json& config = rule["op_config"];
  if (activation_bits > 0) config["activation_tensor_config"] = tensor_config(activation_bits, activation_bits == 16, "TENSORWISE");
  config["weight_tensor_config"] = weights;
  config["compute_precision"] = "INTEGER";
  config["explicit_dequantize"] = false;
  config["skip_checks"] = false;
  config["min_weight_elements"] = 0;
  return rule;
}

/// The weights of all operators in another type, read by float kernels.
Json weight_rule(const QuantizerConfig& config) {
  const bool half = config.default_dtype == "float16";
  Json rule = half ? rule_for(".*", "*", "float_casting") : quantized_rule(".*", "*", 0, tensor_config(8, true, "CHANNELWISE"));
  Json& settings = rule["op_config"];
  if (half)
    settings = {{"weight_tensor_config", {{"num_bits", 16}, {"symmetric", true}, {"granularity", "TENSORWISE"}, {"dtype", "FLOAT"}}}};
  settings["compute_precision"] = "FLOAT";
  settings["explicit_dequantize"] = true;
  settings["skip_checks"] = false;
  settings["min_weight_elements"] = 0;
  return rule;
}

/// What precision `dtype` makes of an operator.
Json layer_rule(const std::string& regex, const std::string& operation, const QuantizerConfig::Layer& layer, int default_bits) {
  const char* const granularity = layer.per_channel ? "CHANNELWISE" : "TENSORWISE";
  if (layer.dtype == "int16") return quantized_rule(regex, operation, 16, tensor_config(8, true, granularity));
  constexpr std::string_view kBlock = "int4-block";
  if (layer.dtype.starts_with(kBlock)) {
    const std::string blocks = "BLOCKWISE_" + layer.dtype.substr(kBlock.size());
    return quantized_rule(regex, operation, 0, tensor_config(4, true, blocks.c_str()));
  }
  if (layer.dtype == "int4") return quantized_rule(regex, operation, default_bits, tensor_config(4, true, granularity));
  return rule_for(regex, operation, "no_quantize");
}

std::string write(const QuantizerConfig& config) {
  const int default_bits = config.float_maps ? 0 : config.default_dtype == "int16" ? 16 : 8;
  Json rules = Json::array();
  const Json weights = tensor_config(8, true, "CHANNELWISE");
  rules.push_back(config.float_maps && config.float_kernels ? weight_rule(config) : quantized_rule(".*", "*", default_bits, weights));
  for (const QuantizerConfig::Layer& layer : config.layers) rules.push_back(layer_rule(escaped(layer), layer.op, layer, default_bits));
  // Without these the quantizer rounds the model's inputs and outputs to the first rule's bits.
  if (config.inputs_follow && !config.layers.empty()) rules.push_back(layer_rule(".*", "INPUT", config.layers.front(), default_bits));
  if (config.outputs_follow && !config.layers.empty()) rules.push_back(layer_rule(".*", "OUTPUT", config.layers.front(), default_bits));
  return json_text(rules);
}

}  // namespace

std::span<const ConfigDef> definitions() {
  static const ConfigDef def{{"aeq", "recipe for the AI Edge Quantizer", "sensitive.aeq.json"}, write, true};
  return {&def, 1};
}

}  // namespace visq::report::config_aeq
