// Inputs that take pictures.
#pragma once

#include <cstdint>
#include <optional>

#include "data/sources/input_spec.h"
#include "visq/data/preparation.h"

namespace visq::data {

/// A picture as an input takes it; -1: any size.
struct PictureSize {
  PictureLayout layout = PictureLayout::kNhwc;
  std::int64_t height = 0, width = 0, channels = 0;
};

/// The picture that an input of four axes takes: 1, 3 or 4 channels on the last axis, or on the second; where both could be, `preferred`,
/// else the last. Nothing where it takes none.
std::optional<PictureSize> picture_of(const InputSpec& input, PictureLayout preferred);

/// The axes of such an input in the other layout.
std::vector<std::int64_t> in_layout(const PictureSize& picture, std::int64_t batch, PictureLayout layout);

}  // namespace visq::data
