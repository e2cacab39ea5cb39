// The verdict on a pair, and what is said of a reference that does not work.
#include "visq/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/results/report_results.h"

namespace visq {
namespace {

using testing::chain_result;
using testing::finite_value;
using testing::infinite_value;
using testing::set_metric;

/// input, a, b, c; c is the output. SQNR of each, in dB.
CompareResult chain(double a, double b, double c) {
  CompareResult result = chain_result({"input", "a", "b", "c"});
  set_metric(result.maps[0], "sqnr", infinite_value());
  set_metric(result.maps[1], "sqnr", finite_value(a));
  set_metric(result.maps[2], "sqnr", finite_value(b));
  set_metric(result.maps[3], "sqnr", finite_value(c));
  result.records = {0, 40};
  return result;
}

TEST(PairVerdict, RestsOnTheWorstOutputsSqnr) {
  const PairVerdict fine = pair_verdict(chain(5, 15, 20));
  EXPECT_EQ(fine.health, Health::kFine);
  EXPECT_EQ(fine.basis, VerdictBasis::kSqnr);
  EXPECT_EQ(fine.value, 20);
  EXPECT_EQ(fine.first_node, -1) << "what is absorbed on the way is no break";
  const PairVerdict off = pair_verdict(chain(30, 19.9, 19));
  EXPECT_EQ(off.health, Health::kNoticeablyOff);
  EXPECT_EQ(off.first_node, 2);
  EXPECT_EQ(off.first_sqnr, 19.9);
  const PairVerdict broken = pair_verdict(chain(30, 15, 9.9));
  EXPECT_EQ(broken.health, Health::kBroken);
  EXPECT_EQ(broken.first_node, 3);
}

TEST(PairVerdict, RestsOnTheMetricThatIsAskedFor) {
  CompareResult result = chain(30, 30, 30);
  result.accuracy = Accuracy{Score::kTop1, "c", "", 100, 10, {0.9, 1}, {0.5, 1}, {}};
  const auto judged = [&](Score score, const char* metric, double value) {
    result.judged_by = score;
    set_metric(result.maps[3], metric, finite_value(value));
    return pair_verdict(result);
  };
  EXPECT_EQ(judged(Score::kSqnr, "sqnr", 30).basis, VerdictBasis::kSqnr) << "whatever accuracy says";
  EXPECT_EQ(judged(Score::kCosine, "cosine", 0.995).health, Health::kFine);
  EXPECT_EQ(judged(Score::kCosine, "cosine", 0.96).health, Health::kNoticeablyOff);
  EXPECT_EQ(judged(Score::kCosine, "cosine", 0.94).health, Health::kBroken);
  EXPECT_EQ(judged(Score::kCosine, "cosine", 0.94).basis, VerdictBasis::kCosine);
  EXPECT_EQ(judged(Score::kPsnr, "psnr", 40).health, Health::kFine);
  EXPECT_EQ(judged(Score::kPsnr, "psnr", 29).health, Health::kBroken);
  EXPECT_EQ(judged(Score::kPsnr, "psnr", 29).value, 29);
  EXPECT_EQ(judged(Score::kTop1, "psnr", 50).basis, VerdictBasis::kAccuracyDrop);
}

TEST(PairVerdict, OfSeveralOutputsTheWorstCounts) {
  CompareResult result = chain(30, 8, 25);
  result.outputs = {3, 2, 1};
  const PairVerdict verdict = pair_verdict(result);
  EXPECT_EQ(verdict.health, Health::kBroken);
  EXPECT_EQ(verdict.output, 1);
}

TEST(PairVerdict, AccuracyDecidesWhereItWasMeasured) {
  CompareResult result = chain(30, 15, 9);
  result.accuracy = Accuracy{Score::kTop1, "c", "", 100, 10, {0.9219, 1}, {0.9119, 1}, {}};
  EXPECT_EQ(pair_verdict(result).health, Health::kFine) << "a drop of one point";
  result.accuracy->quantized.main = 0.88;
  EXPECT_EQ(pair_verdict(result).health, Health::kNoticeablyOff);
  EXPECT_EQ(pair_verdict(result).basis, VerdictBasis::kAccuracyDrop);
  result.accuracy->quantized.main = 0.87;
  EXPECT_EQ(pair_verdict(result).health, Health::kBroken);
}

TEST(PairVerdict, SqnrFollowsFromMseWhereItWasNotAskedFor) {
  CompareResult result = chain(30, 15, 9);
  result.metrics = {metric_named("mse")};
  for (MapComparison& map : result.maps) map.metrics = {finite_value(0)};
  result.maps[3].metrics = {finite_value(0.04)};
  result.maps[3].reference_statistics.rms = 2;
  EXPECT_NEAR(pair_verdict(result).value, 20, 1e-12);  // 10 log10(4 / 0.04)
}

TEST(PairVerdict, NonFiniteOutputsAreBroken) {
  CompareResult result = chain(30, 15, 30);
  result.maps[2].quantized_statistics.non_finite = 3;
  result.maps[3].quantized_statistics.non_finite = 2;
  const PairVerdict verdict = pair_verdict(result);
  EXPECT_EQ(verdict.health, Health::kBroken);
  EXPECT_EQ(verdict.basis, VerdictBasis::kNonFinite);
  EXPECT_EQ(verdict.value, 2);
  EXPECT_EQ(verdict.first_node, 2);
}

TEST(PairVerdict, ClassesThatDiffer) {
  CompareResult result = chain(30, 30, 30);
  result.maps[3].integer = true;
  result.maps[3].metrics.clear();
  for (const auto& [share, health] :
       {std::pair(0.01, Health::kFine), std::pair(0.1, Health::kNoticeablyOff), std::pair(0.2, Health::kBroken)}) {
    result.maps[3].differing_share = share;
    EXPECT_EQ(pair_verdict(result).health, health) << share;
  }
}

TEST(PairVerdict, NothingIsSaidWhereNothingWasMeasured) {
  CompareResult result = chain(30, 30, 30);
  result.outputs.clear();
  EXPECT_EQ(pair_verdict(result).basis, VerdictBasis::kNothing);
  EXPECT_EQ(pair_verdict(result).health, Health::kUnknown);
}

TEST(ComparisonRemarks, OutputsThatDoNotDependOnTheInput) {
  CompareResult result = chain(30, 30, 30);
  EXPECT_TRUE(comparison_remarks(result).empty());
  result.maps[3].reference_repeats = true;
  EXPECT_THAT(comparison_remarks(result), ::testing::ElementsAre(::testing::HasSubstr("the same outputs for all 40 records")));
  result.maps[0].reference_repeats = true;
  EXPECT_TRUE(comparison_remarks(result).empty()) << "the records are all the same";
}

TEST(ComparisonRemarks, ErrorThatTheModeLeavesOut) {
  CompareResult result = chain(30, 30, 30);
  result.mode_gap = ModeGap{0, 30, 25};
  EXPECT_TRUE(comparison_remarks(result).empty());
  result.mode_gap = ModeGap{3, 37.94, 5.2};
  EXPECT_THAT(comparison_remarks(result),
              ::testing::ElementsAre(::testing::HasSubstr("in record 3 the worst output has 37.9 dB here and 5.2 dB")));
  result.mode_gap->fake_quant = HUGE_VAL;
  EXPECT_THAT(comparison_remarks(result), ::testing::ElementsAre(::testing::HasSubstr("has inf dB here")));
}

TEST(ComparisonRemarks, AccuracyNearChance) {
  CompareResult result = chain(30, 30, 30);
  result.accuracy = Accuracy{Score::kTop1, "c", "", 100, 10, {0.16, 0.6}, {0.1, 0.5}, {}};
  EXPECT_THAT(comparison_remarks(result), ::testing::ElementsAre(::testing::HasSubstr("near chance"))) << "0.1 + 2 · 0.03";
  result.accuracy->reference.main = 0.17;
  EXPECT_TRUE(comparison_remarks(result).empty());
  result.accuracy->reference.main = 0.1;
  result.accuracy->records = 19;
  EXPECT_TRUE(comparison_remarks(result).empty()) << "too few to tell";
}

}  // namespace
}  // namespace visq
