// Spectra: RFFT2D, AudioSpectrogram and Mfcc against their definitions, and parts of complex numbers.
#include <flatbuffers/flexbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

using Complex = std::complex<double>;

std::vector<float> wave(std::int64_t size) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i * i)) + 0.2));
  return values;
}

Complex turn(double part) { return std::polar(1.0, -2 * std::numbers::pi * part); }

TEST(Rfft2d, IsTheDefinition) {
  constexpr std::int64_t kRows = 3, kColumns = 5, kHeight = 4, kWidth = 8, kKept = kWidth / 2 + 1;
  const auto image = wave(kRows * kColumns);
  const auto [shape, spectrum] = LightRunner("RFFT2D")
                                     .output(DType::kComplex64)
                                     .input<float>({1, kRows, kColumns}, image)
                                     .ints({kHeight, kWidth})
                                     .first<std::complex<float>>();
  ASSERT_EQ(shape, Shape({1, kHeight, kKept}));
  for (std::int64_t u = 0; u < kHeight; ++u) {
    for (std::int64_t v = 0; v < kKept; ++v) {
      Complex sum;
      for (std::int64_t y = 0; y < kRows; ++y) {
        for (std::int64_t x = 0; x < kColumns; ++x) {
          const auto part = static_cast<double>(u * y) / kHeight + static_cast<double>(v * x) / kWidth;
          sum += static_cast<double>(image[static_cast<std::size_t>(y * kColumns + x)]) * turn(part);
        }
      }
      EXPECT_LT(std::abs(Complex(spectrum[static_cast<std::size_t>(u * kKept + v)]) - sum), 1e-5);
    }
  }
}

TEST(Rfft2d, CropsAndRefuses) {
  const auto spectrum = LightRunner("RFFT2D").output(DType::kComplex64).input<float>({2, 3}, {1, 2, 4, 8, 9, 9}).ints({1, 2});
  EXPECT_THAT(LightRunner(spectrum).first<std::complex<float>>().second,
              ElementsAre(std::complex<float>(3, 0), std::complex<float>(-1, 0)));
  const auto refused = [](std::int32_t height, std::int32_t width) {
    return LightRunner("RFFT2D").output(DType::kComplex64).input<float>({2, 2}, {1, 2, 3, 4}).ints({height, width}).message();
  };
  EXPECT_THAT(refused(1, 3), HasSubstr("a transform of 3 points, expected a power of two"));
  EXPECT_THAT(refused(0, 2), HasSubstr("a transform of 0 points"));
  EXPECT_THAT(refused(1 << 14, 1 << 14), HasSubstr("a transform of 16384 x 16384 points is too large"));
}

TEST(ComplexParts, AreTakenApart) {
  const auto part = [](std::string op) {
    return LightRunner(std::move(op)).input<std::complex<float>>({2}, {{3, -4}, {-1, 0}}).first().second;
  };
  EXPECT_THAT(part("REAL"), ElementsAre(3, -1));
  EXPECT_THAT(part("IMAG"), ElementsAre(-4, 0));
  EXPECT_THAT(part("COMPLEX_ABS"), ElementsAre(5, 1));
  EXPECT_THAT(LightRunner("COMPLEX_ABS").output(DType::kFloat64).input<std::complex<double>>({1}, {{5, 12}}).first<double>().second,
              ElementsAre(13));
}

std::vector<std::uint8_t> map_of(const std::vector<std::pair<const char*, std::int64_t>>& numbers) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [name, number] : numbers) builder.Int(name, number);
  });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(AudioSpectrogram, TransformsWeightedWindows) {
  constexpr std::int64_t kSamples = 11, kWindow = 5, kStride = 3, kPoints = 8, kBins = 5;
  const auto samples = wave(kSamples);
  const auto run = [&](std::int64_t squared) {
    return LightRunner("AudioSpectrogram")
        .input<float>({kSamples, 1}, samples)
        .options(map_of({{"window_size", kWindow}, {"stride", kStride}, {"magnitude_squared", squared}}))
        .first();
  };
  const auto [shape, powers] = run(1);
  ASSERT_EQ(shape, Shape({1, 3, kBins}));
  const auto magnitudes = run(0).second;
  for (std::int64_t window = 0; window < 3; ++window) {
    for (std::int64_t bin = 0; bin < kBins; ++bin) {
      Complex sum;
      for (std::int64_t i = 0; i < kWindow; ++i) {
        const double weight = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / kWindow);
        sum += weight * static_cast<double>(samples[static_cast<std::size_t>(window * kStride + i)]) *
               turn(static_cast<double>(i * bin) / kPoints);
      }
      const auto at = static_cast<std::size_t>(window * kBins + bin);
      EXPECT_NEAR(powers[at], std::norm(sum), 1e-5);
      EXPECT_NEAR(magnitudes[at], std::abs(sum), 1e-5);
    }
  }
}

TEST(AudioSpectrogram, RefusesBadOptions) {
  const auto message = [](std::vector<std::uint8_t> options) {
    return LightRunner("AudioSpectrogram").input<float>({4, 1}, wave(4)).options(std::move(options)).message();
  };
  EXPECT_THAT(message(map_of({{"window_size", 1}, {"stride", 1}})), HasSubstr("window_size is 1, stride 1"));
  EXPECT_THAT(message(map_of({{"window_size", 4}})), HasSubstr("window_size is 4, stride 0"));
  EXPECT_THAT(message({1, 2, 3}), HasSubstr("its 3 bytes of custom options are no FlexBuffer map"));
  EXPECT_EQ(
      LightRunner("AudioSpectrogram").input<float>({4, 1}, wave(4)).options(map_of({{"window_size", 5}, {"stride", 1}})).first().first,
      Shape({1, 0, 5}));
}

/// Whatever bytes the options hold, they are refused or read, but never beyond their end.
TEST(CustomOptions, HostileBytesDoNoHarm) {
  const auto good = map_of({{"window_size", 4}, {"stride", 2}, {"magnitude_squared", 70000}});
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int value : {0, 1, 2, 4, 8, 35, 36, 127, 128, 255}) {
      auto bad = good;
      bad[at] = static_cast<std::uint8_t>(value);
      LightRunner("AudioSpectrogram").input<float>({4, 1}, wave(4)).options(bad).message();
    }
    auto cut = good;
    cut.resize(at);
    LightRunner("AudioSpectrogram").input<float>({4, 1}, wave(4)).options(cut).message();
  }
}

TEST(Mfcc, IsTheDefinition) {
  constexpr std::int64_t kBins = 33, kFilters = 6, kCoefficients = 4, kLow = 60, kHigh = 3500, kRate = 8000;
  std::vector<float> power = wave(kBins);
  for (float& value : power) value *= value;
  const auto options = map_of({{"upper_frequency_limit", kHigh},
                               {"lower_frequency_limit", kLow},
                               {"filterbank_channel_count", kFilters},
                               {"dct_coefficient_count", kCoefficients}});
  const auto result = LightRunner("Mfcc").input<float>({1, 1, kBins}, power).scalar(kRate).options(options).first().second;
  ASSERT_EQ(result.size(), static_cast<std::size_t>(kCoefficients));
  const auto mel = [](double hertz) { return 1127 * std::log1p(hertz / 700); };
  const double step = (mel(kHigh) - mel(kLow)) / (kFilters + 1);
  std::vector<double> logs;
  for (int filter = 1; filter <= kFilters; ++filter) {
    double sum = 0;
    for (std::int64_t bin = 1; bin < kBins; ++bin) {
      const double hertz = static_cast<double>(bin) * kRate / 2 / (kBins - 1);
      if (hertz < kLow || hertz > kHigh) continue;
      const double distance = std::fabs((mel(hertz) - mel(kLow)) / step - filter);  // in filter spacings
      if (distance < 1) sum += (1 - distance) * std::sqrt(static_cast<double>(power[static_cast<std::size_t>(bin)]));
    }
    logs.push_back(std::log(sum));
  }
  for (int i = 0; i < kCoefficients; ++i) {
    double sum = 0;
    for (int j = 0; j < kFilters; ++j) sum += logs[static_cast<std::size_t>(j)] * std::cos(std::numbers::pi * i * (j + 0.5) / kFilters);
    EXPECT_NEAR(result[static_cast<std::size_t>(i)], std::sqrt(2.0 / kFilters) * sum, 1e-5);
  }
}

TEST(Mfcc, RefusesBadOptions) {
  const auto message = [](std::int64_t low, std::int64_t high, std::int64_t filters, std::int64_t coefficients) {
    return LightRunner("Mfcc")
        .input<float>({1, 1, 9}, wave(9))
        .scalar(8000)
        .options(map_of({{"upper_frequency_limit", high},
                         {"lower_frequency_limit", low},
                         {"filterbank_channel_count", filters},
                         {"dct_coefficient_count", coefficients}}))
        .message();
  };
  EXPECT_THAT(message(100, 100, 4, 4), HasSubstr("frequencies from 100 to 100"));
  EXPECT_THAT(message(0, 100, 4, 5), HasSubstr("5 coefficients of 4 filters"));
  EXPECT_THAT(message(0, 100, 1 << 20, 4), HasSubstr("4 coefficients of 1048576 filters"));
}

}  // namespace
}  // namespace visq
