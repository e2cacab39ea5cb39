// How far a constant of the quantized model is off the reference's, in steps of its grid.
#pragma once

#include <vector>

#include "diagnosis/symptoms.h"

namespace visq::diagnosis {

struct StepDifference {
  double rms = 0;            ///< of (quantized - reference) / step; rounding alone: at most 1/√12, about 0.29
  double worst_channel = 0;  ///< the largest RMS of a channel
  int channel = 0;           ///< which
  double mean = 0;           ///< of all elements' differences, with sign
  double median = 0;         ///< of all elements' differences, with sign
  double spread = 0;         ///< half of what lies between the quartiles
  double relative = 0;       ///< |quantized - reference| / |reference| over all elements
};

/// Not for biases. Steps of 0 (absurd scales) count as none.
StepDifference step_difference(const Subject& subject, const ConstantValues& constant);

/// Of both models' values; 1 where both are zero, 0 where one is.
double cosine_of(const ConstantValues& constant);

/// How far the weights of all layers are off; Symptoms keep it.
UsualDifference usual_difference(const Symptoms& symptoms);

/// The largest magnitude of every channel of the reference's weights.
std::vector<double> channel_reaches(const Subject& subject, const ConstantValues& constant);

/// The reference's weights as 8 bits with a scale per row hold them where channel c of the data was divided by factor[c], which they take.
/// `rows`: of the first axis; the last axis counts the channels of the data.
std::vector<float> rounded_behind_factors(const ConstantValues& weights, std::size_t rows, const std::vector<double>& factor);

}  // namespace visq::diagnosis
