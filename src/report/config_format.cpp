// The registry of quantizer configurations.
#include "report/config_format.h"

#include <algorithm>

#include "core/error.h"
#include "core/suggest.h"

namespace visq {
namespace report {

std::vector<const ConfigDef*> config_all();  // generated from the files in configs/

std::span<const ConfigDef* const> all_configs() {
  static const std::vector<const ConfigDef*> configs = [] {
    std::vector<const ConfigDef*> all = config_all();
    std::sort(all.begin(), all.end(), [](const ConfigDef* a, const ConfigDef* b) { return a->info.kind < b->info.kind; });
    return all;
  }();
  return configs;
}

}  // namespace report

std::vector<QuantizerConfigKind> quantizer_config_kinds() {
  std::vector<QuantizerConfigKind> kinds;
  for (const report::ConfigDef* def : report::all_configs()) kinds.push_back(def->info);
  return kinds;
}

bool has_float_maps(const Model& model) {
  const auto& tensors = model.main().tensors;
  return std::none_of(tensors.begin(), tensors.end(),
                      [](const TensorInfo& tensor) { return !tensor.is_constant && tensor.quantization.quantized(); });
}

Result<std::string> quantizer_config_text(const QuantizerConfig& config, std::string_view kind) {
  std::vector<std::string_view> kinds;
  for (const report::ConfigDef* def : report::all_configs()) {
    kinds.push_back(def->info.kind);
    if (def->info.kind != kind) continue;
    if (config.float_maps && def->maps) {
      return usage_error("--write {}: its quantizers round all feature maps, and those of this model are float; aeq can say so", kind);
    }
    for (const QuantizerConfig::Layer& layer : config.layers) {
      if (layer.dtype.starts_with("int4") && !def->narrow) return usage_error("--write {}: cannot say {}; aeq can", kind, layer.dtype);
    }
    return def->write(config);
  }
  return usage_error("unknown configuration '{}'{}", kind, suggestion(kind, kinds));
}

}  // namespace visq
