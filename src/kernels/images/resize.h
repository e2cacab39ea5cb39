// What resizing operators on NHWC share: reading the wanted size, and which pixels a position of the output lies between. Positions are
// computed in float32, as LiteRT does, for they decide which pixels are read.
#pragma once

#include <cstdint>

#include "kernels/op.h"

namespace visq::kernels {

/// How positions along one axis of the output map to the input.
struct ResizeAxis {
  std::int64_t in = 0, out = 0;
  float scale = 1;
  bool align_corners = false, half_pixel_centers = false;
};

struct Resize {
  std::int64_t batches = 0, channels = 0;
  ResizeAxis rows, columns;
};

/// Reads the size (input 1) and the options, and declares output 0. Where the output has elements, the input has too.
Result<Resize> read_resize(PrepareContext& context);

/// The same between pixels, where the two options exclude each other.
Result<Resize> read_bilinear_resize(PrepareContext& context);

/// The two neighbours of a position and the weight of the second.
struct Neighbours {
  std::int64_t low = 0, high = 0;
  float weight = 0;
};
Neighbours neighbours(const ResizeAxis& axis, std::int64_t position);

}  // namespace visq::kernels
