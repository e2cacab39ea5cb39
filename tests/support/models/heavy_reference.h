// Plain loops in double that the heavy operators are tested against: written from the formulas, sharing nothing with the kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/runs/heavy_runner.h"

namespace visq::testing {

/// One convolution over NHWC maps with its parameters, as a model would state them.
struct ConvCase {
  std::int64_t batch = 1, height = 7, width = 6, channels = 3, outputs = 5;
  std::int64_t kernel_h = 3, kernel_w = 3, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::string padding = "SAME";
  std::int64_t groups = 1;
  std::string activation = "NONE";
  bool depthwise = false;  ///< filter [1, kh, kw, outputs], groups = channels

  std::int64_t out_height() const;
  std::int64_t out_width() const;
  std::int64_t out_elements() const { return batch * out_height() * out_width() * outputs; }
  std::int64_t in_elements() const { return batch * height * width * channels; }
  std::int64_t filter_elements() const { return outputs * kernel_h * kernel_w * (channels / groups); }
  Shape in_shape() const { return {batch, height, width, channels}; }
  Shape filter_shape() const;
  Attributes attributes() const;
};
std::string label(const ConvCase& c);

/// sum over taps of input * filter, one per output element; padding counts as 0.
std::vector<double> convolve(const ConvCase& c, const std::vector<double>& input, const std::vector<double>& filter);

/// weights [rows, size of x] * x
std::vector<double> product(const std::vector<double>& weights, const std::vector<double>& x);

double activate(const std::string& activation, double value);

/// Widens any numbers.
template <class T>
std::vector<double> widen(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

/// Expects |got - activation(want)| <= tolerance * max(1, largest |want|) everywhere: the error of a sum goes with the size of the
/// sums, whatever the activation leaves of them. SIGN_BIT is left out where |want| is within the tolerance of 0.
void expect_near(const std::vector<float>& got, const std::vector<double>& want, double tolerance, const std::string& activation = "NONE");

/// sums[i] + bias of its channel; channels last.
std::vector<double> add_bias(std::vector<double> sums, const std::vector<double>& bias);

/// An operator on quantized operands, and what it must give.
struct QuantizedSums {
  HeavyInput input, filter, bias;
  std::vector<double> input_steps, filter_steps;  ///< q - z
  std::vector<double> bias_steps;
  std::vector<float> scales;  ///< per output channel: float(double(scale_x) * double(scale_w[c]))
};

struct QuantizedCase {
  DType input = DType::kInt8, filter = DType::kInt8;
  bool per_channel = true;
  std::int64_t input_zero = 0, filter_zero = 0;  ///< the latter only per tensor
  bool extremes = false;                         ///< all codes at an end of their range
};

/// Random operands with `outputs` channels along `channel_axis` of the filter.
QuantizedSums quantized_sums(Numbers& numbers, const QuantizedCase& q, Shape input, Shape filter, int channel_axis, std::int64_t outputs);

/// float(scale[c] * float(sum + bias[c])), activated: what exact sums give, channels last.
std::vector<float> exact_results(const QuantizedSums& sums, std::vector<double> products, const std::string& activation);

/// sum over one channel's taps of 255 * |filter|, the largest over all channels: what products are exact in float32 below 2^24.
double largest_sum(const std::vector<double>& filter_steps, const std::vector<double>& bias, std::int64_t outputs, bool channel_last);

}  // namespace visq::testing
