// 3x3 convolutions that may go through Winograd's transform: how exact they are, and what must not go through it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "kernels/backend/float_convolution.h"
#include "runtime/aligned_buffer.h"

namespace visq::kernels::backend {
namespace {

struct Layer {
  std::int64_t batch, height, width, in, out;
  bool padded;
};

ConvolutionAxis axis(std::int64_t size, bool padded) {
  const std::int64_t around = padded ? 1 : 0;
  return {.in = size, .out = size - 2 + 2 * around, .kernel = 3, .before = around, .after = around};
}

ConvolutionShape shape_of(const Layer& layer) {
  return {.batch = layer.batch,
          .in_channels = layer.in,
          .out_channels = layer.out,
          .height = axis(layer.height, layer.padded),
          .width = axis(layer.width, layer.padded)};
}

std::vector<float> random_floats(std::int64_t count, float low, float high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

struct Operands {
  ConvolutionShape shape;
  std::vector<float> source, filter, bias;

  explicit Operands(const Layer& layer, float low = -1, float high = 1)
      : shape(shape_of(layer)),
        source(random_floats(shape.in_elements(), low, high, 1)),
        filter(random_floats(shape.filter_elements(), -0.5F, 0.5F, 2)),
        bias(random_floats(shape.out_channels, -1, 1, 3)) {}
};

/// One run, as one executor of one thread does it.
std::vector<float> run(const FloatConvolution& convolution, const Operands& operands) {
  auto call = convolution.make_call();
  runtime::AlignedBuffer scratch(convolution.scratch_bytes() + runtime::kSlack);
  std::vector<float> target(static_cast<std::size_t>(operands.shape.out_pixels() * operands.shape.out_channels));
  EXPECT_TRUE(convolution.run(call, {.source = operands.source.data(), .target = target.data(), .scratch = scratch.data()}).ok());
  return target;
}

std::unique_ptr<FloatConvolution> prepared(const Operands& operands, bool exact) {
  return FloatConvolution::create({.shape = operands.shape, .filter = operands.filter, .bias = operands.bias, .exact = exact});
}

/// `exact`: by the direct kernel.
std::vector<float> convolve(const Operands& operands, bool exact) { return run(*prepared(operands, exact), operands); }

/// One result, summed in double.
double expected(const Operands& operands, std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t channel) {
  const ConvolutionShape& shape = operands.shape;
  double sum = static_cast<double>(operands.bias[static_cast<std::size_t>(channel)]);
  for (std::int64_t ky = 0; ky < 3; ++ky) {
    for (std::int64_t kx = 0; kx < 3; ++kx) {
      const std::int64_t row = y + ky - shape.height.before, column = x + kx - shape.width.before;
      if (row < 0 || row >= shape.height.in || column < 0 || column >= shape.width.in) continue;
      const std::int64_t pixel = ((image * shape.height.in + row) * shape.width.in + column) * shape.in_channels;
      const std::int64_t tap = ((channel * 3 + ky) * 3 + kx) * shape.in_channels;
      for (std::int64_t c = 0; c < shape.in_channels; ++c) {
        sum += static_cast<double>(operands.source[static_cast<std::size_t>(pixel + c)]) *
               static_cast<double>(operands.filter[static_cast<std::size_t>(tap + c)]);
      }
    }
  }
  return sum;
}

class Winograd : public ::testing::TestWithParam<Layer> {};

TEST_P(Winograd, IsAsExactAsTheOracleAsks) {
  for (const float low : {-1.0F, 0.0F}) {  // maps are often of one sign
    const Operands operands(GetParam(), low, 1);
    const ConvolutionShape& shape = operands.shape;
    const auto results = convolve(operands, false);
    double largest = 0, worst = 0;
    std::size_t i = 0;
    for (std::int64_t image = 0; image < shape.batch; ++image) {
      for (std::int64_t y = 0; y < shape.height.out; ++y) {
        for (std::int64_t x = 0; x < shape.width.out; ++x) {
          for (std::int64_t channel = 0; channel < shape.out_channels; ++channel, ++i) {
            const double wanted = expected(operands, image, y, x, channel);
            largest = std::max(largest, std::abs(wanted));
            worst = std::max(worst, std::abs(static_cast<double>(results[i]) - wanted));
          }
        }
      }
    }
    EXPECT_LT(worst, 5e-6 * largest) << "half of what is asked of operators";
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, Winograd,
                         ::testing::Values(Layer{1, 14, 14, 32, 48, true}, Layer{2, 9, 13, 64, 32, true}, Layer{1, 12, 7, 48, 64, false},
                                           Layer{1, 28, 28, 128, 128, true}, Layer{1, 5, 3, 16, 16, true}, Layer{1, 20, 20, 24, 40, true},
                                           Layer{3, 3, 3, 32, 32, false}));

/// Bytes, so that NaN equals NaN.
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(WinogradGuard, TheTransformIsReallyUsed) {
  if (!exact_int8_sums()) GTEST_SKIP() << "the library has no such kernel for this CPU";
  const Operands operands({1, 14, 14, 32, 32, true});
  EXPECT_FALSE(same(convolve(operands, false), convolve(operands, true))) << "it rounds otherwise";
}

TEST(WinogradGuard, WhatWouldSpreadOrOverflowTakesTheDirectKernel) {
  const Layer layer{1, 14, 14, 32, 32, true};
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -3e38F, 2e20F}) {
    Operands operands(layer);
    operands.source[3000] = special;
    EXPECT_TRUE(same(convolve(operands, false), convolve(operands, true))) << special;
  }
  Operands operands(layer);
  operands.filter[77] = 1e30F;
  EXPECT_TRUE(same(convolve(operands, false), convolve(operands, true)));
}

TEST(WinogradGuard, ThreadsShareOneConvolution) {
  const Operands operands({1, 28, 28, 64, 64, true});
  const auto convolution = prepared(operands, false);
  const auto alone = run(*convolution, operands);
  std::vector<std::vector<float>> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = run(*convolution, operands); });
  }
  for (const auto& result : results) EXPECT_TRUE(same(result, alone));
}

TEST(WinogradGuard, LargeMapsDoNotTakeManyTimesTheirSize) {
  const ConvolutionShape shape = shape_of({1, 1024, 1024, 16, 64, true});
  const std::vector<float> filter(static_cast<std::size_t>(shape.filter_elements()), 0.25F);
  const auto convolution = FloatConvolution::create({.shape = shape, .filter = filter});
  ASSERT_NE(convolution, nullptr);
  EXPECT_LE(convolution->scratch_bytes(), std::size_t{16} << 20);
}

TEST(WinogradGuard, SumsOfIntegersStayExact) {
  Operands operands({1, 14, 14, 32, 32, true});
  for (float& value : operands.source) value = std::round(value * 127);
  for (float& value : operands.filter) value = std::round(value * 254);
  for (float& value : operands.bias) value = std::round(value * 100);
  const auto results = convolve(operands, true);
  std::size_t i = 0;
  for (std::int64_t y = 0; y < 14; ++y) {
    for (std::int64_t x = 0; x < 14; ++x) {
      for (std::int64_t channel = 0; channel < 32; ++channel, ++i) {
        EXPECT_EQ(static_cast<double>(results[i]), expected(operands, 0, y, x, channel));
      }
    }
  }
}

}  // namespace
}  // namespace visq::kernels::backend
