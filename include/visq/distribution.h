// distribution: what do the values of a pair of models look like?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"
#include "visq/profile.h"

namespace visq {

/// What is named, weights too, is shown instead of the worst.
struct DistributionOptions : PairRunRequest, NodeSelection {
  bool all = false;         ///< every weight and feature map
  std::size_t worst = 5;    ///< else so many weights and so many feature maps, by SQNR
  std::optional<int> axis;  ///< of the box plots; default: that of per-channel scales, else the last
};

/// A histogram, and the largest magnitude of all values, also of those outside of it.
struct ValueHistogram {
  Histogram histogram;
  double largest = 0;
};

/// The spread of one channel's values (or of a few neighbours'): quartiles, and whiskers that end at the last value within 1.5 times
/// the distance between the quartiles. Values are those of metrics/value_sketch.h, within 1/256 of their own magnitude.
struct BoxPlot {
  std::int64_t first_channel = 0, last_channel = 0;
  std::int64_t count = 0;  ///< 0: no finite value
  double lower_whisker = 0, lower_quartile = 0, median = 0, mean = 0, upper_quartile = 0, upper_whisker = 0;
  std::vector<double> outliers;  ///< beyond the whiskers, ascending; equal ones once
  double largest_outlier = 0;    ///< by magnitude, with its sign; 0 without outliers
};

/// The values of one tensor in both models.
struct Distribution {
  enum class Kind : std::uint8_t { kWeight, kActivation };
  Kind kind = Kind::kActivation;
  MapIdentity reference, quantized;                ///< of the feature map; of weights the layer's first output
  std::string reference_tensor, quantized_tensor;  ///< names of the tensors themselves
  DType quantized_dtype = DType::kFloat32;
  Shape shape;
  std::vector<float> scale;                  ///< of the quantized tensor
  std::optional<double> lowest, highest;     ///< what its type can represent, over all channels: the quantization threshold
  double smallest = 0, greatest = 0;         ///< of the reference's finite values; 0 where there are none
  std::int64_t values = 0;                   ///< how many of them
  std::int64_t below = 0, above = 0;         ///< how many of them lie more than half a step (of the largest scale) outside of the threshold
  double sqnr = 0;                           ///< in dB; +inf without error
  ValueHistogram before, after, difference;  ///< reference and quantized over the same range; reference - quantized
  int axis = 0;
  std::int64_t channels = 0;
  std::vector<BoxPlot> boxes;  ///< of the reference's values; more than kMostBoxes channels share boxes
};

inline constexpr std::int64_t kMostBoxes = 128;

struct DistributionResult : PairIdentity {
  std::vector<Distribution> distributions;  ///< weights, then activations; worst SQNR first, or graph order where they were chosen
};

/// Two passes over the data where the worst tensors have to be found, else one for every few dozen feature maps.
/// Errors: those of compare.
Result<DistributionResult> distribution(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                        const DistributionOptions& options);

}  // namespace visq
