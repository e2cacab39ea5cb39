#include "quant/fake_quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/simd.h"

namespace visq::quant {
namespace {

TensorInfo tensor_of(DType dtype, std::vector<float> scale, std::vector<std::int64_t> zero_point, Shape shape, int axis = 0) {
  TensorInfo tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.quantization.scale = std::move(scale);
  tensor.quantization.zero_point = std::move(zero_point);
  tensor.quantization.axis = axis;
  return tensor;
}

/// The definition, one element at a time.
float rounded(float value, const Grid& grid, int& code) {
  if (std::isnan(value)) {
    code = grid.zero_point;
    return value;
  }
  const float q = std::round(value / grid.scale) + static_cast<float>(grid.zero_point);
  code = static_cast<int>(std::min(std::max(q, static_cast<float>(grid.low)), static_cast<float>(grid.high)));
  return static_cast<float>(code - grid.zero_point) * grid.scale;
}

TEST(FakeQuantize, RoundsHalfAwayFromZeroAndClamps) {
  const TensorInfo tensor = tensor_of(DType::kInt8, {0.5F}, {-3}, {7});
  std::vector<float> values = {0.25F, -0.25F, 0.24999999F, -0.75F, 1000.0F, -1000.0F, 0.0F};
  std::vector<std::int8_t> codes(values.size());
  EXPECT_EQ(fake_quantize(values.data(), tensor, tensor.shape, codes.data()), 2);
  EXPECT_EQ(values, (std::vector<float>{0.5F, -0.5F, 0.0F, -1.0F, 65.0F, -62.5F, 0.0F}));
  EXPECT_EQ(codes, (std::vector<std::int8_t>{-2, -4, -3, -5, 127, -128, -3}));
}

TEST(FakeQuantize, NearlyHalfDoesNotRoundUp) {
  const TensorInfo tensor = tensor_of(DType::kInt8, {1.0F}, {0}, {1});
  std::vector<float> values = {std::nextafter(0.5F, 0.0F)};
  fake_quantize(values.data(), tensor, tensor.shape, nullptr);
  EXPECT_EQ(values[0], 0.0F);
}

TEST(FakeQuantize, NanStaysAndInfinityClamps) {
  const TensorInfo tensor = tensor_of(DType::kUInt8, {0.1F}, {10}, {3});
  std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity()};
  std::vector<std::uint8_t> codes(3);
  EXPECT_EQ(fake_quantize(values.data(), tensor, tensor.shape, codes.data()), 2);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(codes, (std::vector<std::uint8_t>{10, 255, 0}));
  EXPECT_FLOAT_EQ(values[1], 24.5F);
  EXPECT_FLOAT_EQ(values[2], -1.0F);
}

TEST(FakeQuantize, EveryTypeAndLengthFollowsTheDefinition) {
  std::mt19937 random(7);
  for (const DType dtype : {DType::kInt4, DType::kInt8, DType::kUInt8, DType::kInt16}) {
    const IntegerRange range = integer_range(dtype);
    const TensorInfo tensor = tensor_of(dtype, {0.037F}, {dtype == DType::kInt16 ? 0 : range.low + 3}, {1});
    const Grid grid = grid_of(tensor);
    std::uniform_real_distribution<float> draw(static_cast<float>(range.low) * 0.05F, static_cast<float>(range.high) * 0.05F);
    for (std::size_t count = 0; count < 70; ++count) {
      std::vector<float> values(count);
      for (float& value : values) value = draw(random);
      std::vector<float> expected = values;
      std::vector<int> expected_codes(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = rounded(values[i], grid, expected_codes[i]);
      std::vector<std::int16_t> wide(count + 1, 77);
      std::vector<std::uint8_t> narrow(count + 1, 77);
      const bool two_bytes = dtype == DType::kInt16;
      fake_quantize(values.data(), count, grid, two_bytes ? static_cast<void*>(wide.data()) : narrow.data());
      EXPECT_EQ(values, expected);
      for (std::size_t i = 0; i < count; ++i) {
        const int code = two_bytes ? wide[i] : dtype == DType::kUInt8 ? narrow[i] : static_cast<std::int8_t>(narrow[i]);
        ASSERT_EQ(code, expected_codes[i]) << name(dtype) << " " << i;
      }
      EXPECT_EQ(two_bytes ? wide[count] : narrow[count], 77);
    }
  }
}

TEST(FakeQuantize, ValuesOnTheGridComeOutUnchanged) {
  const TensorInfo tensor = tensor_of(DType::kInt16, {3.1e-4F}, {0}, {65536});
  std::vector<float> values(65536);
  for (int q = -32768; q < 32768; ++q) values[static_cast<std::size_t>(q + 32768)] = static_cast<float>(q) * 3.1e-4F;
  const std::vector<float> before = values;
  EXPECT_EQ(fake_quantize(values.data(), tensor, tensor.shape, nullptr), 0);
  EXPECT_EQ(values, before);
}

TEST(FakeQuantize, QuotientsNextToATieRoundAsTheDivisionDoes) {
  for (const float scale : {0.1F, 0.0235F, 3.0F, 0.00390625F, 7.7e-5F}) {
    const TensorInfo tensor = tensor_of(DType::kInt16, {scale}, {0}, {1});
    const Grid grid = grid_of(tensor);
    std::vector<float> values;
    for (int q = -32768; q < 32767; q += 7) {
      const float tie = (static_cast<float>(q) + 0.5F) * scale;
      values.insert(values.end(), {std::nextafter(tie, -1e9F), tie, std::nextafter(tie, 1e9F)});
    }
    std::vector<float> expected(values.size());
    int code = 0;
    for (std::size_t i = 0; i < values.size(); ++i) expected[i] = rounded(values[i], grid, code);
    fake_quantize(values.data(), values.size(), grid, nullptr);
    EXPECT_EQ(values, expected) << scale;
  }
}

/// Values that the fast path must hand over (ties, NaN, infinities, quotients beyond float32's integers) between ordinary ones.
std::vector<float> mixed_values(std::size_t count, const Grid& grid) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> code(grid.low - 40, grid.high + 40);
  const float infinity = std::numeric_limits<float>::infinity();
  const float odd[] = {0.5F, -1.5F, 5e6F, -9e8F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), -0.0F};
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_odd = i % 211 == 97;
    values[i] = grid.scale * (is_odd ? odd[i / 211 % std::size(odd)] : static_cast<float>(code(random) - grid.zero_point) + 0.3F);
  }
  return values;
}

TEST(FakeQuantize, EveryInstructionSetFollowsTheDefinition) {
  const simd::Level best = simd::level();
  for (const simd::Level level : simd::levels()) {
    simd::set_level_for_test(level);
    for (const DType dtype : {DType::kInt8, DType::kUInt8, DType::kInt16}) {
      const Grid grid = grid_of(tensor_of(dtype, {0.125F}, {dtype == DType::kUInt8 ? 131 : 0}, {1}));
      std::vector<float> values = mixed_values(4000, grid);
      std::vector<std::int16_t> wide(values.size());
      std::vector<std::uint8_t> narrow(values.size());
      const bool two_bytes = dtype == DType::kInt16;
      const std::vector<float> before = values;
      const std::int64_t beyond =
          fake_quantize(values.data(), values.size(), grid, two_bytes ? static_cast<void*>(wide.data()) : narrow.data());
      std::int64_t expected_beyond = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        int expected_code = 0;
        const float expected = rounded(before[i], grid, expected_code);
        const int code = two_bytes ? wide[i] : dtype == DType::kUInt8 ? narrow[i] : static_cast<std::int8_t>(narrow[i]);
        ASSERT_EQ(code, expected_code) << simd::name(level) << " " << name(dtype) << " " << before[i];
        ASSERT_TRUE(values[i] == expected || std::isnan(expected)) << simd::name(level) << " " << before[i] << " " << values[i];
        ASSERT_EQ(std::isnan(values[i]), std::isnan(expected));
        const float code_before_clamp = std::round(before[i] / grid.scale) + static_cast<float>(grid.zero_point);
        expected_beyond += code_before_clamp < static_cast<float>(grid.low) || code_before_clamp > static_cast<float>(grid.high) ? 1 : 0;
      }
      EXPECT_EQ(beyond, expected_beyond) << simd::name(level) << " " << name(dtype);
    }
  }
  simd::set_level_for_test(best);
}

TEST(FakeQuantize, PerChannelUsesEachChannelsScale) {
  const TensorInfo tensor = tensor_of(DType::kInt8, {1.0F, 10.0F}, {0, 0}, {2, 2, 2}, 1);
  std::vector<float> values = {1.4F, 2.6F, 14.0F, 26.0F, -1.4F, -2.6F, -14.0F, -26.0F};
  fake_quantize(values.data(), tensor, tensor.shape, nullptr);
  EXPECT_EQ(values, (std::vector<float>{1, 3, 10, 30, -1, -3, -10, -30}));
}

TEST(FakeQuantize, DequantizeUndoesQuantize) {
  const TensorInfo tensor = tensor_of(DType::kUInt8, {0.02F}, {128}, {4});
  const std::vector<float> values = {-1.0F, 0.0F, 0.5F, 2.0F};
  std::vector<std::uint8_t> stored(4);
  quantize(values.data(), tensor, tensor.shape, stored.data());
  EXPECT_EQ(stored, (std::vector<std::uint8_t>{78, 128, 153, 228}));
  std::vector<float> back(4);
  dequantize(stored.data(), tensor, tensor.shape, back.data());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(back[i], values[i], 1e-6);
}

TEST(FakeQuantize, AbsurdScalesDoNotCrash) {
  for (const float scale : {0.0F, 1e-30F, 1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), -1.0F}) {
    const TensorInfo tensor = tensor_of(DType::kInt8, {scale}, {0}, {4});
    std::vector<float> values = {0.0F, 1.0F, -1.0F, 3e38F};
    std::vector<std::int8_t> codes(4);
    fake_quantize(values.data(), tensor, tensor.shape, codes.data());
  }
}

}  // namespace
}  // namespace visq::quant
