// Mean intersection over union of the classes of pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "visq/scores/score.h"
#include "visq/status.h"
#include "visq/tensor.h"

namespace visq::analysis {

/// The class of every pixel, row by row; negative: left out.
struct ClassMap {
  std::int64_t height = 0, width = 0;
  std::vector<std::int32_t> classes;
};

/// Classes are below this.
inline constexpr std::int64_t kMostClasses = 65'536;

/// What a model's output says: of [1, height, width, channels] the channel with the highest value (the first of several), where the second
/// axis is shorter than the last of [1, channels, height, width]; of a single channel, or without such an axis, the values themselves,
/// rounded, so that a probability becomes 0 or 1. `channels`: how many there are; 1 where the values are the classes.
struct FoundMap {
  ClassMap map;
  std::int64_t channels = 1;
};
/// Errors: kBadInput, beginning with `place`: other shapes, values that are no classes.
Result<FoundMap> class_map(std::span<const float> values, const Shape& shape, const std::string& place);

/// A mask of whole numbers, [height, width]; each moved by `offset`. What is negative before or after it, and 255 where there are no more
/// than 255 channels, is left out. Errors: kBadInput, beginning with `place`: values that are no class of that many channels.
Result<ClassMap> true_map(const Array& mask, std::int64_t offset, std::int64_t channels, const std::string& place);

/// Intersection over union per class, over all pixels of all masks; the mean of the classes that are in either.
class MaskScore {
 public:
  /// A map of another size is taken to that of the truth by its nearest pixels.
  void add(const ClassMap& truth, const ClassMap& found);

  /// Both shares of 1. Errors: kBadInput, beginning with `place`: no pixel counts.
  Result<ModelScore> finish(const std::string& place) const;
  std::int64_t classes() const { return static_cast<std::int64_t>(counts_.size()); }

 private:
  struct Counts {
    std::int64_t both = 0, truth = 0, found = 0;
  };
  Counts& of(std::int32_t label);

  std::vector<Counts> counts_;
};

}  // namespace visq::analysis
