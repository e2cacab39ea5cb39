// What is usually done wrong, or twice, or not at all, to the data of a network before it sees them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "visq/data.h"

namespace visq::diagnosis {

/// Real values of one input.
struct InputValues {
  std::span<float> values;
  Shape shape;
  /// The axis of shape that counts the channels of a picture (rank 4, one to four channels, behind rows and columns or before them);
  /// -1: no picture.
  int channel_axis = -1;
};
int picture_channels(const Shape& shape);

/// A change of the data that would undo it.
struct PreProcessing {
  std::string words;  ///< follows "the data": "divided by 255"
  std::function<void(InputValues& input)> apply;
  bool pictures = false;  ///< only for pictures; leaves other inputs as they are
  bool moves = false;     ///< values go to other places and stay what they are
};

/// In the order in which they are tried: scalings, mean and deviation, channels, layout.
const std::vector<PreProcessing>& usual_changes();
/// Those of them that change anything for this model's inputs.
std::vector<const PreProcessing*> usual_changes(const Model& model);

/// The same values on a line from [low, high] to [new_low, new_high].
PreProcessing stretched(double low, double high, double new_low, double new_high);

/// Records of `data` with real values, changed by `steps` in turn: the numbers of `records` (empty: all), renumbered from 0. Inputs change
/// that are pictures, and the only input of a model. `data` must outlive it. Errors: those of InputFeed.
Result<std::unique_ptr<RecordSource>> changed_records(RecordSource& data, const Model& model, const Model& twin,
                                                      std::vector<const PreProcessing*> steps, std::vector<std::int64_t> records);

}  // namespace visq::diagnosis
