// How pictures, and arrays of pictures, become what a model is fed with.
#pragma once

#include <vector>

namespace visq {

/// Which axis of a batch of pictures holds the channels: the second or the last.
enum class PictureLayout { kUnknown, kNchw, kNhwc };

/// What is done to the picture inputs of a record: inputs of four axes of which one holds 1, 3 or 4 channels, or the only input of a model
/// that has none of these. Each value x becomes (x * scale - mean) / deviation, in float64, rounded to float32; where none of the three is
/// given, values keep their type. Files are resized before, in 8 bits: bilinear, over the area that a pixel of the result covers where it
/// becomes smaller (a triangle of that width), first along rows, then along columns, each rounded: what Pillow's BILINEAR does.
struct Preparation {
  enum class Resize {
    kNone,     ///< pictures must have the input's size
    kStretch,  ///< to width x height, which is then the input's size
    kMiddle,   ///< the shorter side to `width`, the other in proportion (rounded down); then the input's size is cut from the middle
    kInput,    ///< to the input's size
  };
  Resize resize = Resize::kNone;
  int width = 0, height = 0;
  double scale = 1;
  std::vector<double> mean, deviation;  ///< empty: 0 and 1; one value, or one per channel in the order in which the model takes them
  /// Of arrays: how they lie, where the model takes them otherwise. Of files: how the model takes them, where its shape does not say.
  PictureLayout layout = PictureLayout::kUnknown;
  bool bgr = false;  ///< the model takes blue first: the first and third of three channels change places

  bool changes_values() const { return scale != 1 || !mean.empty() || !deviation.empty(); }
};

}  // namespace visq
