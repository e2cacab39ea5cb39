// What quantizers are told to do with single layers: a neutral form, and the formats that it is written in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "visq/model.h"
#include "visq/status.h"

namespace visq {

/// Layers that should have another precision than the rest.
struct QuantizerConfig {
  struct Layer {
    std::string name;                  ///< of its first output, in the float model
    std::vector<std::string> outputs;  ///< names of all its outputs
    std::string display = {};          ///< its name, short, for people (see display_names); quantizers are told the whole one
    std::string op;                    ///< operator type
    std::string dtype;                 ///< of precision_kinds(); empty: the next better one that the format knows
    bool per_channel = true;           ///< of its weights
  };
  std::string model;            ///< file of the float model
  std::string default_dtype;    ///< what all other layers get: "int8", "uint8", "int16"; with float_maps their weights: or "float16"
  std::vector<Layer> layers;    ///< in order of importance
  bool float_maps = false;      ///< all other layers quantize weights alone: feature maps are float32
  bool float_kernels = false;   ///< with float_maps: and kernels compute in float (weight-only), not in integers (dynamic range)
  bool inputs_follow = false;   ///< only layers of the list read the model's inputs: these have the list's precision too
  bool outputs_follow = false;  ///< only layers of the list make the model's outputs
};

/// No feature map of the main graph is quantized.
bool has_float_maps(const Model& model);

/// One format that quantizers read.
struct QuantizerConfigKind {
  std::string_view kind;         ///< "mpq", "aeq", "denylist", "inc"
  std::string_view description;  ///< one line
  std::string_view file_name;    ///< what a file of it is called by default
};

/// All of them, by kind.
std::vector<QuantizerConfigKind> quantizer_config_kinds();

/// The text of a file. Errors: kUsage for an unknown kind, and for layers in a precision that its quantizers cannot be told.
Result<std::string> quantizer_config_text(const QuantizerConfig& config, std::string_view kind);

}  // namespace visq
