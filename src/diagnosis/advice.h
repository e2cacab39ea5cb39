// General measures in words that fit the model: nothing that it has already, nothing that its operators have no kernels for.
#pragma once

#include <string>

#include "diagnosis/symptoms.h"

namespace visq::diagnosis {

/// What helps where more bits everywhere do not.
inline constexpr char kSensitiveInFloat[] = "the most sensitive layers in float (visqerror sensitivity)";

/// What weights can have more of: 8 bits where they have fewer, else a scale per channel where they share one. Empty: neither.
std::string better_weights(const Symptoms& symptoms);

/// The next better precision of feature maps of 8 bits: 16 (int16x8) where kernels take all operators so, else float for the most sensitive
/// ones. Empty: they have more bits already, or are float.
std::string better_maps(const Symptoms& symptoms);

}  // namespace visq::diagnosis
