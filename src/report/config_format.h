// A format of quantizer configurations: turns layers and their wanted precision into the text of a file. One file per format in configs/.
#pragma once

#include <span>

#include "visq/quantizer_config.h"

namespace visq::report {

struct ConfigDef {
  QuantizerConfigKind info;
  std::string (*write)(const QuantizerConfig& config);
  bool narrow = false;  ///< can say that a layer's weights have four bits
  bool maps = false;    ///< says what feature maps of all other layers become
};

/// All formats, by kind.
std::span<const ConfigDef* const> all_configs();

}  // namespace visq::report
