// Whether images lie in memory as a model expects them.
#pragma once

#include <span>

#include "visq/shape.h"

namespace visq::diagnosis {

/// True where an image of shape [1, height, width, channels] holds values that are laid out channel by channel (NCHW). In a picture a pixel
/// is like the one below it: that one lies width * channels elements on, or, channel by channel, width. False for shapes of other
/// kinds, and for values without such likeness.
bool seems_channels_first(std::span<const float> values, const Shape& shape);

}  // namespace visq::diagnosis
