// Pictures: sound XML whatever a tensor is called, everything inside the frame, ticks at round numbers.
#include <gmock/gmock.h>

#include <cmath>
#include <regex>

#include "report/pictures/plot.h"
#include "support/results/report_results.h"
#include "support/results/xml_fault.h"
#include "visq/report/distribution.h"

namespace visq::report {
namespace {

using ::testing::ElementsAre;
using visq::testing::xml_fault;

Distribution sample(const std::string& name) {
  Distribution each;
  each.reference_tensor = each.quantized_tensor = each.reference.name = name;
  each.reference.op = "CONV_2D";
  each.shape = {1, 4, 2};
  each.quantized_dtype = DType::kInt8;
  each.scale = {0.1F};
  each.lowest = -12.8, each.highest = 12.7;
  each.sqnr = 20;
  each.before = {{-10, 14, {1, 5, 100, 6, 2, 0, 1}}, 14};
  each.after = {{-10, 14, {1, 5, 100, 6, 3, 0, 0}}, 12.7};
  each.difference = {{-0.05, 1.3, {50, 60, 1}}, 1.3};
  each.axis = 2;
  each.channels = 2;
  each.boxes = {{0, 0, 50, -3, -1, 0, 0.1, 1, 3, {-10, 9}, -10}, {1, 1, 0, 0, 0, 0, 0, 0, 0, {}, 0}};
  return each;
}

TEST(DistributionSvg, IsSoundXmlForEveryName) {
  for (const std::string& name : testing::hostile_names()) {
    const std::string svg = distribution_svg(sample(name), 3);
    EXPECT_EQ(xml_fault(svg), "") << name;
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(DistributionSvg, SaysWhatItShows) {
  const std::string svg = distribution_svg(sample("conv"), 3);
  for (const char* text :
       {"SQNR 20.0 dB", "12.7", "max |x| = 14", "largest outlier -10", "2 channels along axis 2", "median", "stroke-dasharray"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  Distribution folded = sample("wide");
  folded.channels = 512;
  EXPECT_NE(distribution_svg(folded, 1).find("512 channels along axis 2, folded into 2 boxes"), std::string::npos);
}

TEST(DistributionSvg, SaysWhatIsClippedAtBothEnds) {
  Distribution both = sample("conv");
  both.smallest = -20, both.greatest = 14, both.values = 200, both.below = 3, both.above = 1;
  EXPECT_NE(distribution_svg(both, 1).find("clipped: 1.5 % below, 0.5 % above"), std::string::npos);
  DistributionResult result;
  result.distributions = {both, sample("inside")};
  const std::string text = distribution_text(result, 0);
  EXPECT_NE(text.find("-20..14"), std::string::npos) << text;
  EXPECT_NE(text.find("-12.8..12.7"), std::string::npos) << text;
  EXPECT_NE(text.find("1.5 % below, 0.5 % above"), std::string::npos) << text;
  EXPECT_NE(distribution_text(result, 60).find("1.5 % below, 0.5 % above"), std::string::npos) << "on narrow terminals too";
  EXPECT_EQ(distribution_svg(sample("inside"), 1).find("clipped"), std::string::npos);
}

TEST(DistributionSvg, StandsEmptyAndConstantValues) {
  Distribution none = sample("none");
  none.before = none.after = none.difference = {{0, 1, {0, 0}}, 0};
  none.boxes.clear();
  none.lowest = none.highest = std::nullopt;
  none.sqnr = INFINITY;
  const std::string svg = distribution_svg(none, 1);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find("no error"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(DistributionFiles, HaveNamesThatEverySystemTakes) {
  DistributionResult result;
  result.distributions = {sample("a/b;c:d\"<x>"), sample(std::string(300, 'n'))};
  const auto files = distribution_files(result);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].name, "000-activation-a_b_c_d__x_.svg");
  EXPECT_LT(files[1].name.size(), 80U);
  EXPECT_EQ(files[2].name, "distribution.html");
}

TEST(Ticks, AreRound) {
  EXPECT_THAT(round_ticks(-1.2, 3.4, 5), ElementsAre(-1, 0, 1, 2, 3));
  EXPECT_THAT(round_ticks(0, 1e-3, 5), ElementsAre(0, 2e-4, 4e-4, ::testing::DoubleNear(6e-4, 1e-12), 8e-4, 1e-3));
  EXPECT_THAT(round_ticks(2, 2, 5), ::testing::IsEmpty());
  EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_text(3, 1), "3");
  EXPECT_EQ(tick_text(2e7, 1e7), "2e+07");
  EXPECT_EQ(tick_text(0, 0.1), "0");
}

}  // namespace
}  // namespace visq::report
