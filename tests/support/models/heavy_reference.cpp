#include "support/models/heavy_reference.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace visq::testing {
namespace {

std::int64_t positions(const std::string& padding, std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  if (padding == "SAME") return static_cast<std::int64_t>(std::ceil(static_cast<double>(in) / static_cast<double>(stride)));
  return (in - ((kernel - 1) * dilation + 1)) / stride + 1;
}

/// Zeros before the map: TensorFlow puts the smaller half there.
std::int64_t zeros_before(const std::string& padding, std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation) {
  if (padding != "SAME") return 0;
  return std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in) / 2;
}

}  // namespace

std::int64_t ConvCase::out_height() const { return positions(padding, height, kernel_h, stride_h, dilation_h); }
std::int64_t ConvCase::out_width() const { return positions(padding, width, kernel_w, stride_w, dilation_w); }

Shape ConvCase::filter_shape() const {
  return depthwise ? Shape{1, kernel_h, kernel_w, outputs} : Shape{outputs, kernel_h, kernel_w, channels / groups};
}

Attributes ConvCase::attributes() const {
  return visq::testing::attributes({{"padding", padding},
                                    {"stride_h", stride_h},
                                    {"stride_w", stride_w},
                                    {"dilation_h_factor", dilation_h},
                                    {"dilation_w_factor", dilation_w},
                                    {"fused_activation_function", activation}});
}

std::string label(const ConvCase& c) {
  return fmt::format("{}x{}x{}x{} -> {}, {}x{} / {}x{}, dilation {}x{}, {}, {} groups, {}", c.batch, c.height, c.width, c.channels,
                     c.outputs, c.kernel_h, c.kernel_w, c.stride_h, c.stride_w, c.dilation_h, c.dilation_w, c.padding, c.groups,
                     c.activation);
}

std::vector<double> convolve(const ConvCase& c, const std::vector<double>& input, const std::vector<double>& filter) {
  const std::int64_t out_h = c.out_height(), out_w = c.out_width();
  const std::int64_t top = zeros_before(c.padding, c.height, out_h, c.kernel_h, c.stride_h, c.dilation_h);
  const std::int64_t left = zeros_before(c.padding, c.width, out_w, c.kernel_w, c.stride_w, c.dilation_w);
  const std::int64_t depth = c.channels / c.groups;
  const std::int64_t group_outputs = c.outputs / c.groups;
  std::vector<double> sums;
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t y = 0; y < out_h; ++y)
      for (std::int64_t x = 0; x < out_w; ++x)
        for (std::int64_t o = 0; o < c.outputs; ++o) {
          double sum = 0;
          for (std::int64_t i = 0; i < c.kernel_h; ++i)
            for (std::int64_t j = 0; j < c.kernel_w; ++j)
              for (std::int64_t d = 0; d < depth; ++d) {
                const std::int64_t row = y * c.stride_h + i * c.dilation_h - top;
                const std::int64_t column = x * c.stride_w + j * c.dilation_w - left;
                if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
                const std::int64_t channel = o / group_outputs * depth + d;
                const std::int64_t weight =
                    c.depthwise ? (i * c.kernel_w + j) * c.outputs + o : ((o * c.kernel_h + i) * c.kernel_w + j) * depth + d;
                sum += input[static_cast<std::size_t>(((n * c.height + row) * c.width + column) * c.channels + channel)] *
                       filter[static_cast<std::size_t>(weight)];
              }
          sums.push_back(sum);
        }
  return sums;
}

std::vector<double> product(const std::vector<double>& weights, const std::vector<double>& x) {
  std::vector<double> sums(weights.size() / x.size());
  for (std::size_t i = 0; i < weights.size(); ++i) sums[i / x.size()] += weights[i] * x[i % x.size()];
  return sums;
}

double activate(const std::string& activation, double value) {
  if (activation == "RELU") return std::max(0.0, value);
  if (activation == "RELU6") return std::clamp(value, 0.0, 6.0);
  if (activation == "RELU_N1_TO_1") return std::clamp(value, -1.0, 1.0);
  if (activation == "TANH") return std::tanh(value);
  if (activation == "SIGN_BIT") return std::signbit(value) ? 1 : 0;
  return value;
}

std::vector<double> add_bias(std::vector<double> sums, const std::vector<double>& bias) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += bias[i % bias.size()];
  return sums;
}

void expect_near(const std::vector<float>& got, const std::vector<double>& want, double tolerance, const std::string& activation) {
  ASSERT_EQ(got.size(), want.size());
  double largest = 1;
  for (const double value : want) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (activation == "SIGN_BIT" && std::abs(want[i]) <= tolerance * largest) continue;
    const double expected = activate(activation, want[i]);
    ASSERT_LE(std::abs(static_cast<double>(got[i]) - expected), tolerance * largest)
        << "element " << i << " is " << got[i] << ", not " << expected;
  }
}

QuantizedSums quantized_sums(Numbers& numbers, const QuantizedCase& q, Shape input, Shape filter, int channel_axis, std::int64_t outputs) {
  const auto draw = [&](DType type, std::int64_t count) {
    const IntegerRange range = integer_range(type);
    auto codes = numbers.integers(count, range.low, range.high);
    if (q.extremes) {
      for (auto& code : codes) code = code % 3 == 0 ? range.low : range.high;
    }
    return codes;
  };
  const auto input_codes = draw(q.input, input.elements());
  const auto filter_codes = draw(q.filter, filter.elements());
  const auto bias_codes = numbers.integers(outputs, -3000, 3000);
  std::vector<float> filter_scales;
  for (std::int64_t c = 0; c < (q.per_channel ? outputs : 1); ++c)
    filter_scales.push_back(static_cast<float>(numbers.integer(1, 999)) * 3.7e-5F);
  const float input_scale = 0.0173F;
  const std::vector<std::int64_t> filter_zeros(filter_scales.size(), q.per_channel ? 0 : q.filter_zero);

  QuantizedSums sums;
  for (const auto code : input_codes) sums.input_steps.push_back(static_cast<double>(code - q.input_zero));
  for (const auto code : filter_codes) sums.filter_steps.push_back(static_cast<double>(code - filter_zeros[0]));
  sums.bias_steps = widen(bias_codes);
  for (std::size_t c = 0; c < static_cast<std::size_t>(outputs); ++c) {
    sums.scales.push_back(static_cast<float>(static_cast<double>(input_scale) * static_cast<double>(filter_scales[q.per_channel ? c : 0])));
  }
  sums.input = quantized_activation(std::move(input), q.input, input_codes, quantization({input_scale}, {q.input_zero}));
  sums.filter = quantized_constant(std::move(filter), q.filter, filter_codes, quantization(filter_scales, filter_zeros, channel_axis));
  // The stated scale of the bias is wrong on purpose: it counts in steps of input scale * filter scale all the same.
  sums.bias = quantized_constant({outputs}, DType::kInt32, bias_codes, quantization({12.5F}, {0}));
  return sums;
}

std::vector<float> exact_results(const QuantizedSums& sums, std::vector<double> products, const std::string& activation) {
  std::vector<float> results;
  const std::size_t channels = sums.scales.size();
  for (std::size_t i = 0; i < products.size(); ++i) {
    const std::size_t c = i % channels;
    const double bias = sums.bias_steps.empty() ? 0 : sums.bias_steps[c];
    const float result = sums.scales[c] * static_cast<float>(products[i] + bias);
    results.push_back(activation == "TANH" ? std::tanh(result) : static_cast<float>(activate(activation, static_cast<double>(result))));
  }
  return results;
}

double largest_sum(const std::vector<double>& filter_steps, const std::vector<double>& bias, std::int64_t outputs, bool channel_last) {
  const auto channels = static_cast<std::size_t>(outputs);
  std::vector<double> totals(channels, 0);
  for (std::size_t i = 0; i < filter_steps.size(); ++i) {
    totals[channel_last ? i % channels : i / (filter_steps.size() / channels)] += 255 * std::abs(filter_steps[i]);
  }
  for (std::size_t c = 0; c < bias.size(); ++c) totals[c] += std::abs(bias[c]);
  return *std::max_element(totals.begin(), totals.end());
}

}  // namespace visq::testing
