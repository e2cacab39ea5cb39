// Smooth pictures in either layout.
#include "diagnosis/whole/image_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace visq::diagnosis {
namespace {

constexpr int kHeight = 24, kWidth = 32, kChannels = 3;

float pixel(int y, int x, int channel) {
  return std::sin(0.2F * static_cast<float>(x)) + std::cos(0.15F * static_cast<float>(y)) + 0.7F * static_cast<float>(channel);
}

TEST(ImageLayout, TellsChannelByChannelFromPixelByPixel) {
  std::vector<float> pixels, planes;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int c = 0; c < kChannels; ++c) pixels.push_back(pixel(y, x, c));
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) planes.push_back(pixel(y, x, c));
    }
  }
  const Shape shape{1, kHeight, kWidth, kChannels};
  EXPECT_FALSE(seems_channels_first(pixels, shape));
  EXPECT_TRUE(seems_channels_first(planes, shape));
}

TEST(ImageLayout, SaysNothingOfNoiseAndOtherShapes) {
  std::mt19937 engine(1);
  std::normal_distribution<float> noise;
  std::vector<float> values(kHeight * kWidth * kChannels);
  for (float& value : values) value = noise(engine);
  EXPECT_FALSE(seems_channels_first(values, {1, kHeight, kWidth, kChannels}));
  EXPECT_FALSE(seems_channels_first(values, {1, kHeight, kWidth * kChannels}));
  EXPECT_FALSE(seems_channels_first(std::vector<float>(kHeight * kWidth * kChannels, 1.0F), {1, kHeight, kWidth, kChannels}));
}

}  // namespace
}  // namespace visq::diagnosis
