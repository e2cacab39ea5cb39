// Operators between floats in integer runs: the same bits as plain float loops in the order of TFLite's reference kernels.
#include <gmock/gmock.h>

#include <cmath>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAreArray;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The window of output (y, x): visit(input pixel, tap) for its taps inside, rows first.
template <class Visit>
void for_each_tap(const ConvCase& c, std::int64_t y, std::int64_t x, Visit visit) {
  const auto before = [](std::int64_t out, std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
    return std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in) / 2;
  };
  const std::int64_t top = y * c.stride_h - before(c.out_height(), c.height, c.kernel_h, c.stride_h, c.dilation_h);
  const std::int64_t left = x * c.stride_w - before(c.out_width(), c.width, c.kernel_w, c.stride_w, c.dilation_w);
  for (std::int64_t i = 0; i < c.kernel_h; ++i) {
    for (std::int64_t j = 0; j < c.kernel_w; ++j) {
      const std::int64_t row = top + i * c.dilation_h, column = left + j * c.dilation_w;
      if (row >= 0 && row < c.height && column >= 0 && column < c.width) visit(row * c.width + column, i * c.kernel_w + j);
    }
  }
}

/// One image; every product and every sum rounded to float.
std::vector<float> convolve_in_order(const ConvCase& c, const std::vector<float>& in, const std::vector<float>& filter,
                                     const std::vector<float>& bias) {
  std::vector<float> out;
  const std::int64_t depth = c.channels / c.groups, taps = c.kernel_h * c.kernel_w;
  for (std::int64_t y = 0; y < c.out_height(); ++y) {
    for (std::int64_t x = 0; x < c.out_width(); ++x) {
      for (std::int64_t o = 0; o < c.outputs; ++o) {
        float sum = 0;
        for_each_tap(c, y, x, [&](std::int64_t pixel, std::int64_t tap) {
          for (std::int64_t k = 0; k < depth; ++k) {
            const std::int64_t weight = c.depthwise ? tap * c.outputs + o : (o * taps + tap) * depth + k;
            sum += in[index(pixel * c.channels + o / (c.outputs / c.groups) * depth + k)] * filter[index(weight)];
          }
        });
        const float value = sum + bias[index(o)];
        out.push_back(c.activation == "RELU" ? std::max(value, 0.0F) : value);
      }
    }
  }
  return out;
}

TEST(OrderedSums, ConvolutionsGiveTheBitsOfPlainLoops) {
  Numbers numbers(5);
  const std::vector<ConvCase> cases = {
      {.channels = 19, .outputs = 37},
      {.height = 9, .channels = 3, .outputs = 8, .stride_h = 2, .stride_w = 2, .activation = "RELU"},
      {.height = 11, .width = 12, .channels = 16, .dilation_h = 2, .dilation_w = 3},
      {.channels = 24, .outputs = 6, .groups = 3},
      {.channels = 40, .outputs = 40, .kernel_h = 5, .groups = 40, .depthwise = true},
      {.channels = 5, .outputs = 15, .stride_h = 2, .groups = 5, .depthwise = true},
  };
  for (const ConvCase& c : cases) {
    SCOPED_TRACE(label(c));
    const auto in = numbers.reals(c.in_elements()), filter = numbers.reals(c.filter_elements()), bias = numbers.reals(c.outputs);
    const auto want = convolve_in_order(c, in, filter, bias);
    for (const auto make : {constant, activation}) {
      const auto result = run({.type = c.depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D",
                               .inputs = {activation(c.in_shape(), in), make(c.filter_shape(), filter), make({c.outputs}, bias)},
                               .attributes = c.attributes(),
                               .integer_run = true});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->values, want);
    }
  }
}

TEST(OrderedSums, TransposedConvolutionsAddInputPixelByInputPixel) {
  Numbers numbers(6);
  constexpr std::int64_t kSize = 4, kDepth = 9, kOutputs = 5, kKernel = 3, kOut = kSize + kKernel - 1;
  const auto in = numbers.reals(kSize * kDepth), filter = numbers.reals(kOutputs * kKernel * kDepth);
  std::vector<float> want(index(kOut * kOutputs), 0.0F);
  for (std::int64_t x = 0; x < kSize; ++x) {
    for (std::int64_t k = 0; k < kDepth; ++k) {
      for (std::int64_t tap = 0; tap < kKernel; ++tap) {
        for (std::int64_t o = 0; o < kOutputs; ++o) {
          want[index((x + tap) * kOutputs + o)] += in[index(x * kDepth + k)] * filter[index((o * kKernel + tap) * kDepth + k)];
        }
      }
    }
  }
  const auto result = run({.type = "TRANSPOSE_CONV",
                           .inputs = {integer_constant({4}, DType::kInt32, {1, 1, kOut, kOutputs}),
                                      constant({kOutputs, 1, kKernel, kDepth}, filter), activation({1, 1, kSize, kDepth}, in)},
                           .attributes = attributes({{"padding", "VALID"}, {"stride_h", std::int64_t{1}}, {"stride_w", std::int64_t{1}}}),
                           .integer_run = true});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->values, want);
}

/// left [m, k] by right [n, k]
std::vector<float> multiply_in_order(const std::vector<float>& left, const std::vector<float>& right, std::int64_t m, std::int64_t n,
                                     std::int64_t k) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < m * n; ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < k; ++j) sum += left[index(i / n * k + j)] * right[index(i % n * k + j)];
    out.push_back(sum);
  }
  return out;
}

TEST(OrderedSums, ProductsOfMatricesGiveTheBitsOfPlainLoops) {
  Numbers numbers(7);
  const auto left = numbers.reals(6 * 29), right = numbers.reals(7 * 29);
  const auto want = multiply_in_order(left, right, 6, 7, 29);
  const auto batch = run({.type = "BATCH_MATMUL",
                          .inputs = {activation({6, 29}, left), constant({7, 29}, right)},
                          .attributes = attributes({{"adj_y", true}}),
                          .integer_run = true});
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(batch->values, want);
  const auto connected =
      run({.type = "FULLY_CONNECTED", .inputs = {activation({6, 29}, left), constant({7, 29}, right), absent()}, .integer_run = true});
  ASSERT_TRUE(connected.ok()) << connected.error().message;
  EXPECT_EQ(connected->values, want);
}

TEST(OrderedSums, ReductionsAddInFloat) {
  Numbers numbers(8);
  const auto in = numbers.reals(3 * 50);
  std::vector<float> want;
  for (std::size_t row = 0; row < 3; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < 50; ++i) sum += in[row * 50 + i];
    want.push_back(sum / 50.0F);
  }
  const auto result = run({.type = "MEAN",
                           .inputs = {activation({3, 50}, in), integer_constant({1}, DType::kInt32, {1})},
                           .attributes = attributes({{"keep_dims", false}}),
                           .integer_run = true});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(result->values, ElementsAreArray(want));
}

}  // namespace
}  // namespace visq::testing
