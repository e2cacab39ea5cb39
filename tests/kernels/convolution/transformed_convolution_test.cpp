// Convolutions that may go through a transform (Winograd's, of squares and of rows; folded columns): how exact they are, and what must not
// go through it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "kernels/backend/float_convolution.h"
#include "kernels/backend/folded_columns.h"
#include "runtime/aligned_buffer.h"

namespace visq::kernels::backend {
namespace {

struct Layer {
  std::int64_t batch, height, width, in, out;
  bool padded;
  std::int64_t lines = 3, dilation = 1;  ///< of the window: its height, and the distance of its taps
};

ConvolutionAxis axis(std::int64_t size, std::int64_t kernel, std::int64_t dilation, bool padded) {
  const std::int64_t missing = (kernel - 1) * dilation, before = padded ? missing / 2 : 0, after = padded ? missing - before : 0;
  return {.in = size, .out = size - missing + before + after, .kernel = kernel, .dilation = dilation, .before = before, .after = after};
}

ConvolutionShape shape_of(const Layer& layer) {
  return {.batch = layer.batch,
          .in_channels = layer.in,
          .out_channels = layer.out,
          .height = axis(layer.height, layer.lines, layer.dilation, layer.padded),
          .width = axis(layer.width, 3, layer.dilation, layer.padded)};
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

  explicit Operands(const Layer& layer, float low = -1, float high = 1) : Operands(shape_of(layer), low, high) {}
  explicit Operands(const ConvolutionShape& given, float low = -1, float high = 1)
      : shape(given),
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
  for (std::int64_t ky = 0; ky < shape.height.kernel; ++ky) {
    for (std::int64_t kx = 0; kx < shape.width.kernel; ++kx) {
      const std::int64_t row = y * shape.height.stride + ky * shape.height.dilation - shape.height.before;
      const std::int64_t column = x * shape.width.stride + kx * shape.width.dilation - shape.width.before;
      if (row < 0 || row >= shape.height.in || column < 0 || column >= shape.width.in) continue;
      const std::int64_t pixel = ((image * shape.height.in + row) * shape.width.in + column) * shape.in_channels;
      const std::int64_t tap = ((channel * shape.height.kernel + ky) * shape.width.kernel + kx) * shape.in_channels;
      for (std::int64_t c = 0; c < shape.in_channels; ++c) {
        sum += static_cast<double>(operands.source[static_cast<std::size_t>(pixel + c)]) *
               static_cast<double>(operands.filter[static_cast<std::size_t>(tap + c)]);
      }
    }
  }
  return sum;
}

/// The largest error, of the largest result.
double worst_error(const Operands& operands, const std::vector<float>& results) {
  const ConvolutionShape& shape = operands.shape;
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
  return worst / largest;
}

/// Bytes, so that NaN equals NaN.
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class Winograd : public ::testing::TestWithParam<Layer> {};

TEST_P(Winograd, IsAsExactAsTheOracleAsks) {
  for (const float low : {-1.0F, 0.0F}) {  // maps are often of one sign
    const Operands operands(GetParam(), low, 1);
    EXPECT_LT(worst_error(operands, convolve(operands, false)), 5e-6) << "half of what is asked of operators";
  }
}

constexpr Layer kSquares[] = {{2, 9, 13, 64, 64, true}, {1, 12, 7, 128, 64, false}, {1, 28, 28, 128, 128, true}, {1, 5, 3, 64, 64, true}};
constexpr Layer kRows[] = {
    {1, 14, 14, 32, 48, true},       {3, 15, 17, 24, 40, true},      {1, 20, 33, 16, 16, false},      {2, 64, 130, 16, 24, true},
    {2, 1, 64, 64, 32, true, 1},     {1, 1, 1030, 32, 64, true, 1},  {1, 1, 63, 32, 33, false, 1},    {1, 9, 40, 40, 48, true, 1},
    {1, 1, 125, 64, 64, true, 1, 2}, {1, 1, 47, 32, 32, true, 1, 5}, {1, 23, 29, 32, 32, true, 3, 2}, {2, 30, 26, 48, 16, true, 5},
};
INSTANTIATE_TEST_SUITE_P(Squares, Winograd, ::testing::ValuesIn(kSquares));
INSTANTIATE_TEST_SUITE_P(Rows, Winograd, ::testing::ValuesIn(kRows));

TEST(WinogradOfRows, ALineMayStandUpright) {
  Layer layer{2, 1, 70, 32, 32, true, 1};
  const Operands lying(layer);
  Operands upright = lying;
  std::swap(upright.shape.height, upright.shape.width);
  EXPECT_TRUE(same(convolve(lying, false), convolve(upright, false)));
}

/// One of each transform.
constexpr Layer kSquare{1, 14, 14, 64, 64, true}, kLines{1, 14, 30, 32, 32, true}, kLine{1, 1, 64, 32, 32, true, 1};
constexpr Layer kEach[] = {kSquare, kLines, kLine};

TEST(WinogradGuard, TheTransformIsReallyUsed) {
  if (!has_wide_kernels()) GTEST_SKIP() << "the library has no such kernel for this CPU";
  for (const Layer& layer : kEach) {
    const Operands operands(layer);
    EXPECT_FALSE(same(convolve(operands, false), convolve(operands, true))) << "it rounds otherwise";
  }
}

TEST(WinogradGuard, WhatWouldSpreadOrOverflowTakesTheDirectKernel) {
  for (const Layer& layer : kEach) {
    for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -3e38F, 2e20F}) {
      Operands operands(layer);
      operands.source[1000] = special;
      EXPECT_TRUE(same(convolve(operands, false), convolve(operands, true))) << special;
    }
    Operands operands(layer);
    operands.filter[77] = 1e30F;
    EXPECT_TRUE(same(convolve(operands, false), convolve(operands, true)));
  }
}

TEST(WinogradGuard, ThreadsShareOneConvolution) {
  for (const Layer& layer : kEach) {
    const Operands operands(layer);
    const auto convolution = prepared(operands, false);
    const auto alone = run(*convolution, operands);
    std::vector<std::vector<float>> results(4);
    {
      std::vector<std::jthread> threads;
      for (auto& result : results) threads.emplace_back([&] { result = run(*convolution, operands); });
    }
    for (const auto& result : results) EXPECT_TRUE(same(result, alone));
  }
}

TEST(WinogradGuard, LargeMapsDoNotTakeManyTimesTheirSize) {
  const ConvolutionShape shape = shape_of({1, 1024, 1024, 16, 64, true});
  const std::vector<float> filter(static_cast<std::size_t>(shape.filter_elements()), 0.25F);
  const auto convolution = FloatConvolution::create({.shape = shape, .filter = filter});
  ASSERT_NE(convolution, nullptr);
  EXPECT_LE(convolution->scratch_bytes(), std::size_t{16} << 20);
}

void make_integer(Operands& operands) {
  for (float& value : operands.source) value = std::round(value * 127);
  for (float& value : operands.filter) value = std::round(value * 254);
  for (float& value : operands.bias) value = std::round(value * 100);
}

TEST(WinogradGuard, WindowsFarTallerThanTheMapDoNotTakeMoreMemory) {
  for (const std::int64_t dilation : {30, 1000, 1 << 28}) {
    ConvolutionShape shape = shape_of({1, 8, 64, 64, 48, true});
    shape.height = axis(8, 3, dilation, true);
    const Operands operands(shape);
    EXPECT_LE(prepared(operands, false)->scratch_bytes(), std::size_t{16} << 20);
    EXPECT_LT(worst_error(operands, convolve(operands, false)), 5e-6);
  }
}

TEST(WinogradGuard, SumsOfIntegersStayExact) {
  for (const Layer& layer : kEach) {
    Operands operands(layer);
    make_integer(operands);
    EXPECT_EQ(worst_error(operands, convolve(operands, true)), 0);
  }
}

TEST(WinogradGuard, WeightsThatAreExactGiveExactSums) {
  for (const Layer& layer : kEach) {
    Operands operands(layer);
    make_integer(operands);
    for (float& value : operands.filter) value *= 0x1p-9F;
    for (float& value : operands.bias) value *= 0x1p-9F;
    EXPECT_EQ(worst_error(operands, convolve(operands, false)), 0);
    operands.filter[5] += 0x1p-20F;
    EXPECT_GT(worst_error(operands, convolve(operands, false)), 0) << "as soon as one is not, they are rounded";
  }
}

TEST(WinogradGuard, ResultsAreClamped) {
  for (const Layer& layer : kEach) {
    const Operands operands(layer);
    const auto free = convolve(operands, false);
    const auto clamped =
        run(*FloatConvolution::create({.shape = operands.shape, .filter = operands.filter, .bias = operands.bias, .clamp = {-0.5F, 1.25F}}),
            operands);
    for (std::size_t i = 0; i < free.size(); ++i) ASSERT_NEAR(clamped[i], std::clamp(free[i], -0.5F, 1.25F), 1e-4);
  }
}

/// A convolution in front of a network that reads sound.
struct Sound {
  std::int64_t length, channels, kernel, stride, before, out, height = 1;
};

ConvolutionShape shape_of(const Sound& sound) {
  ConvolutionShape shape{.in_channels = sound.channels, .out_channels = sound.out};
  shape.height = axis(sound.height, sound.height > 1 ? 3 : 1, 1, true);
  shape.width = {
      .in = sound.length, .out = (sound.length + sound.stride - 1) / sound.stride, .kernel = sound.kernel, .stride = sound.stride};
  shape.width.before = sound.before;
  shape.width.after = (shape.width.out - 1) * sound.stride + sound.kernel - sound.before - sound.length;
  return shape;
}

class FoldedColumns : public ::testing::TestWithParam<Sound> {};

TEST_P(FoldedColumns, GiveTheSameSums) {
  Operands operands(shape_of(GetParam()));
  ASSERT_TRUE(fold_columns(operands.shape).has_value());
  EXPECT_LT(worst_error(operands, convolve(operands, false)), 2e-6);
  make_integer(operands);
  EXPECT_EQ(worst_error(operands, convolve(operands, true)), 0);
}

TEST_P(FoldedColumns, DoNotSpreadWhatIsNotFinite) {
  Operands operands(shape_of(GetParam()));
  operands.source[operands.source.size() / 2] = std::numeric_limits<float>::infinity();
  const auto results = convolve(operands, false);
  std::size_t i = 0;
  for (std::int64_t y = 0; y < operands.shape.height.out; ++y) {
    for (std::int64_t x = 0; x < operands.shape.width.out; ++x) {
      for (std::int64_t channel = 0; channel < operands.shape.out_channels; ++channel, ++i) {
        ASSERT_EQ(std::isfinite(results[i]), std::isfinite(expected(operands, 0, y, x, channel))) << x;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, FoldedColumns,
                         ::testing::Values(Sound{1600, 1, 80, 4, 38, 64}, Sound{320, 1, 64, 2, 31, 16}, Sound{256, 2, 40, 2, 0, 8},
                                           Sound{160, 4, 33, 4, 16, 24}, Sound{96, 8, 25, 1, 12, 5}, Sound{512, 1, 96, 16, 40, 32},
                                           Sound{128, 1, 90, 1, 44, 3, 4}));

TEST(FoldedColumnsGuard, OnlyWhereItFitsAndPays) {
  EXPECT_FALSE(fold_columns(shape_of(Sound{1600, 1, 10, 5, 4, 64}))) << "the stride does not divide 16";
  EXPECT_FALSE(fold_columns(shape_of(Sound{1601, 1, 80, 4, 38, 64}))) << "columns would be left over";
  EXPECT_FALSE(fold_columns(shape_of(Sound{1600, 3, 80, 4, 38, 64}))) << "channels do not divide 16";
  EXPECT_FALSE(fold_columns(shape_of(Sound{1600, 1, 16, 4, 6, 64}))) << "twice the products";
  EXPECT_FALSE(fold_columns(shape_of(Sound{1600, 16, 80, 4, 38, 64}))) << "enough channels as it is";
}

}  // namespace
}  // namespace visq::kernels::backend
