#include "report/words/palette.h"

#include <gtest/gtest.h>

#include <cmath>

namespace visq::report {
namespace {

constexpr std::string_view kPalest = "#ffffcc", kDarkest = "#800026";

const MetricInfo& metric(std::string_view name) { return metric_info(metric_named(name)); }

void expect_seamless(const std::vector<VisqFile::Bin>& bins) {
  ASSERT_EQ(bins.size(), 9U);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    EXPECT_LT(bins[i].begin, bins[i].end) << i;
    if (i > 0) {
      EXPECT_EQ(bins[i].begin, bins[i - 1].end) << i;
    }
  }
}

TEST(Palette, StepsEvenlyFromBestToWorst) {
  const auto bins = color_bins(metric("mse"), {9, 0, 4.5, 5}, ColorScale::kLinear);
  expect_seamless(bins);
  EXPECT_EQ(bins[0].begin, 0);
  EXPECT_NEAR(bins[0].end, 1, 1e-12);
  EXPECT_NEAR(bins[7].end, 8, 1e-12);
  EXPECT_GT(bins[8].end, 9);
  EXPECT_LT(bins[8].end, 9.0001);
  EXPECT_EQ(color_of(bins, 0), kPalest);
  EXPECT_EQ(color_of(bins, 9), kDarkest) << "the viewer tests begin <= value < end";
  EXPECT_EQ(color_of(bins, 4.5), "#fd8d3c");
  EXPECT_EQ(color_of(bins, 9.1), kNoValueColor);
}

TEST(Palette, PaintsLowValuesDarkWhereHigherIsBetter) {
  for (const char* name : {"cosine", "psnr"}) {
    const auto bins = color_bins(metric(name), {-1, 0.25, 1}, ColorScale::kDefault);
    expect_seamless(bins);
    EXPECT_EQ(color_of(bins, -1), kDarkest);
    EXPECT_EQ(color_of(bins, 1), kPalest);
  }
}

/// 25 dB have the same colour in every picture, whatever else is in it.
TEST(Palette, SqnrHasFixedBorders) {
  for (const std::vector<double>& values : {std::vector<double>{25}, {-30, 25, 26}, {25, 190}, {1e300, 25}}) {
    const auto bins = color_bins(metric("sqnr"), values, ColorScale::kDefault);
    expect_seamless(bins);
    EXPECT_EQ(color_of(bins, 25), "#fed976");
    for (const double value : values) EXPECT_NE(color_of(bins, value), kNoValueColor) << value;
    EXPECT_EQ(bins[2].begin, 5);
    EXPECT_EQ(bins[8].begin, 40);
    EXPECT_EQ(color_of(bins, 41), kPalest);
    EXPECT_EQ(color_of(bins, -1), kDarkest);
  }
  EXPECT_EQ(color_of(color_bins(metric("sqnr"), {25, 26}, ColorScale::kLinear), 25), kDarkest);
}

TEST(Palette, SpansMpeirFromZeroToOne) {
  const auto bins = color_bins(metric("mpeir"), {0.2, 0.3}, ColorScale::kDefault);
  expect_seamless(bins);
  EXPECT_EQ(bins[0].begin, 0);
  EXPECT_NEAR(bins[0].end, 1.0 / 9, 1e-12);
  EXPECT_GT(bins[8].end, 1);
  EXPECT_LT(bins[8].end, 1.0001);
  const auto beyond = color_bins(metric("mpeir"), {0.2, 300}, ColorScale::kDefault);
  expect_seamless(beyond);
  EXPECT_NEAR(beyond[0].end, 1.0 / 9, 1e-12);
  EXPECT_EQ(color_of(beyond, 300), kDarkest);
  EXPECT_EQ(color_of(color_bins(metric("mpeir"), {0.5, 0.5}, ColorScale::kDefault), 0.5), "#fd8d3c");
}

TEST(Palette, IsLogarithmicWhereOneValueWouldPaintAllOthersAlike) {
  const std::vector<double> values = {1e-6, 1e-5, 1e-4, 1};
  const auto bins = color_bins(metric("mse"), values, ColorScale::kDefault);
  expect_seamless(bins);
  EXPECT_NEAR(bins[1].end / bins[0].end, bins[5].end / bins[4].end, 1e-9);
  EXPECT_EQ(color_of(bins, 1e-6), kPalest);
  EXPECT_NE(color_of(bins, 1e-4), kPalest);
  EXPECT_EQ(color_of(bins, 1), kDarkest);
  EXPECT_EQ(color_of(color_bins(metric("mse"), values, ColorScale::kLinear), 1e-4), kPalest);
  const auto near = color_bins(metric("mse"), {1, 2, 200}, ColorScale::kDefault);  // exactly 100 times the median: linear
  EXPECT_NEAR(near[0].end - near[0].begin, near[4].end - near[4].begin, 1e-9);
}

TEST(Palette, TakesZerosIntoTheFirstLogarithmicBin) {
  const auto bins = color_bins(metric("mse"), {0, 0, 0, 1e-30, 1}, ColorScale::kDefault);
  expect_seamless(bins);
  EXPECT_EQ(bins[0].begin, 0);
  EXPECT_NEAR(bins[0].end, 1e-8, 1e-15) << "nine decades below the largest";
  EXPECT_EQ(color_of(bins, 0), kPalest);
}

TEST(Palette, TakesTheDistanceFromTheBestWhereLogarithmicAndHigherIsBetter) {
  const auto bins = color_bins(metric("cosine"), {1, 0.999, 0.99, 0}, ColorScale::kLog);
  expect_seamless(bins);
  EXPECT_EQ(color_of(bins, 1), kPalest);
  EXPECT_EQ(color_of(bins, 0), kDarkest);
  EXPECT_NE(color_of(bins, 0.99), color_of(bins, 0.999));
}

TEST(Palette, PaintsEqualValuesPale) {
  for (const double value : {0.0, 1e-300, 3.0, 1e300}) {
    for (const char* name : {"mse", "psnr"}) {
      const auto bins = color_bins(metric(name), {value, value}, ColorScale::kDefault);
      expect_seamless(bins);
      EXPECT_EQ(color_of(bins, value), kPalest) << name << " " << value;
    }
  }
  expect_seamless(color_bins(metric("mse"), {}, ColorScale::kDefault));
  EXPECT_EQ(color_of(color_bins(metric("sqnr"), {-5}, ColorScale::kLog), -5), kPalest);
}

TEST(Palette, SurvivesExtremeValues) {
  const double next = std::nextafter(1, 2);  // too close for nine bins
  for (const double value : {1.0, next}) EXPECT_NE(color_of(color_bins(metric("mse"), {1, next}, ColorScale::kLog), value), kNoValueColor);
  for (const double big : {1e300, 1.7e308}) {
    const auto bins = color_bins(metric("mse"), {0, 1e-300, big}, ColorScale::kDefault);
    for (const auto& bin : bins) EXPECT_TRUE(std::isfinite(bin.begin) && std::isfinite(bin.end));
    EXPECT_EQ(color_of(bins, big), kDarkest);
  }
}

TEST(Palette, WritesBlackOnPaleAndWhiteOnDark) {
  EXPECT_EQ(text_color("#ffffcc"), "#000000");
  EXPECT_EQ(text_color("#fd8d3c"), "#000000");
  EXPECT_EQ(text_color("#bd0026"), "#ffffff");
  EXPECT_EQ(text_color("#800026"), "#ffffff");
  EXPECT_EQ(text_color(kNoValueColor), "#000000");
}

}  // namespace
}  // namespace visq::report
