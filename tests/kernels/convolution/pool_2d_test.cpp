// AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D against plain loops.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

Attributes options(const ConvCase& c) {
  Attributes result = c.attributes();
  result.set("filter_height", c.kernel_h);
  result.set("filter_width", c.kernel_w);
  return result;
}

/// Walks all windows, giving for each output element the values under it.
template <class Reduce>
std::vector<double> pool(const ConvCase& c, const std::vector<float>& input, Reduce reduce) {
  const auto before = [](std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, const std::string& padding) {
    return padding == "SAME" ? std::max<std::int64_t>(0, (out - 1) * stride + kernel - in) / 2 : 0;
  };
  const std::int64_t top = before(c.height, c.out_height(), c.kernel_h, c.stride_h, c.padding);
  const std::int64_t left = before(c.width, c.out_width(), c.kernel_w, c.stride_w, c.padding);
  std::vector<double> results;
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t y = 0; y < c.out_height(); ++y)
      for (std::int64_t x = 0; x < c.out_width(); ++x)
        for (std::int64_t channel = 0; channel < c.channels; ++channel) {
          std::vector<double> values;
          for (std::int64_t row = std::max<std::int64_t>(0, y * c.stride_h - top);
               row < std::min(c.height, y * c.stride_h - top + c.kernel_h); ++row)
            for (std::int64_t column = std::max<std::int64_t>(0, x * c.stride_w - left);
                 column < std::min(c.width, x * c.stride_w - left + c.kernel_w); ++column)
              values.push_back(
                  static_cast<double>(input[static_cast<std::size_t>(((n * c.height + row) * c.width + column) * c.channels + channel)]));
          results.push_back(activate(c.activation, reduce(values)));
        }
  return results;
}

double average(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}
double maximum(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }
double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int32_t>::max();

std::vector<ConvCase> shapes() {
  return {
      {.channels = 8, .kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2},
      {.batch = 2, .channels = 17, .padding = "VALID", .activation = "RELU"},
      {.channels = 5, .kernel_h = 5, .kernel_w = 5, .activation = "RELU_N1_TO_1"},
      {.channels = 33, .kernel_h = 7, .kernel_w = 6, .padding = "VALID"},
      {.channels = 16, .kernel_h = 1, .kernel_w = 3, .stride_h = 2, .stride_w = 3, .padding = "VALID"},
      {.channels = 3, .kernel_h = 2, .kernel_w = 1, .stride_h = 3, .stride_w = 2, .activation = "RELU6"},
      {.channels = 4, .kernel_h = 30, .kernel_w = kHuge, .stride_h = 2, .stride_w = 5},
      {.channels = 4, .kernel_h = 2, .kernel_w = 2, .stride_h = kHuge, .stride_w = kHuge},
  };
}

TEST(Pool2D, AgreesWithLoops) {
  Numbers numbers(41);
  for (const ConvCase& c : shapes()) {
    SCOPED_TRACE(label(c));
    const auto input = numbers.reals(c.in_elements());
    const std::pair<std::string, double (*)(const std::vector<double>&)> operators[] = {
        {"AVERAGE_POOL_2D", average}, {"MAX_POOL_2D", maximum}, {"L2_POOL_2D", root_mean_square}};
    for (const auto& [type, reduce] : operators) {
      const auto result = run({.type = type, .inputs = {activation(c.in_shape(), input)}, .attributes = options(c)});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, (Shape{c.batch, c.out_height(), c.out_width(), c.channels}));
      expect_near(result->values, pool(c, input, reduce), type == "MAX_POOL_2D" ? 0 : 1e-6);
    }
  }
}

TEST(Pool2D, MaximumOfNegativeNumbersIgnoresPadding) {
  const ConvCase c{.height = 2, .width = 2, .channels = 1};
  const auto result = run({.type = "MAX_POOL_2D", .inputs = {activation(c.in_shape(), {-4, -3, -2, -1})}, .attributes = options(c)});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->values, (std::vector<float>{-1, -1, -1, -1}));
}

TEST(Pool2D, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 MAX_POOL_2D: ";
  const auto error = [](const ConvCase& c) {
    return error_of({.type = "MAX_POOL_2D", .inputs = {activation({1, 7, 6, 3}, std::vector<float>(126))}, .attributes = options(c)});
  };
  EXPECT_EQ(error({.kernel_h = 0}), place + "filter height is 0");
  EXPECT_EQ(error({.kernel_w = -3}), place + "filter width is -3");
  EXPECT_EQ(error({.stride_h = 0}), place + "stride of the height is 0");
  EXPECT_EQ(error({.kernel_h = 8, .padding = "VALID"}), place + "window of 8 exceeds the input's height of 7");
  EXPECT_EQ(error_of({.type = "MAX_POOL_2D", .inputs = {activation({7, 6}, std::vector<float>(42))}}),
            place + "input has rank 2, expected 4");
}

}  // namespace
}  // namespace visq::testing
