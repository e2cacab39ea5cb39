// Estimates of a ranking on made-up errors whose full ranking is known: how much of it they find, what they cost, and whether the
// confidence marks keep their word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/trials/sensitivity_estimate.h"

namespace visq::analysis {
namespace {

/// Errors of trials in records: trial's size (log-normal) times record's size times a squared normal number or a mean of several.
struct World {
  std::size_t trials, records;
  std::vector<std::vector<double>> errors;  ///< the last row: everything

  World(std::size_t trials_, std::size_t records_, int squares, unsigned seed) : trials(trials_), records(records_) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> factors;
    for (std::size_t r = 0; r < records; ++r) factors.push_back(std::exp(0.7 * normal(random)));
    errors.assign(trials + 1, std::vector<double>(records, 0));
    for (std::size_t t = 0; t < trials; ++t) {
      const double size = std::exp(1.5 * normal(random));
      for (std::size_t r = 0; r < records; ++r) {
        double sum = 0;
        for (int i = 0; i < squares; ++i) sum += std::pow(normal(random), 2);
        errors[t][r] = size * factors[r] * sum / squares;
        errors[trials][r] += errors[t][r];
      }
    }
  }

  std::vector<std::size_t> ranking() const {
    std::vector<std::pair<double, std::size_t>> sums;
    for (std::size_t t = 0; t < trials; ++t) {
      double sum = 0;
      for (const double error : errors[t]) sum += error;
      sums.emplace_back(-sum, t);
    }
    std::sort(sums.begin(), sums.end());
    std::vector<std::size_t> order;
    for (const auto& [sum, trial] : sums) order.push_back(trial);
    return order;
  }

  /// An output of one element that is off by the root of the error.
  TrialRecord measured(std::size_t trial, std::size_t record) const {
    OutputRecord output;
    output.stats.elements = 1;
    output.stats.sum_dd = errors[trial][record];
    return {{output}, 1};
  }
};

struct Estimate {
  std::vector<std::size_t> ranking;
  std::vector<RankInterval> marks;
  double share = 0;
};

Estimate estimate(const World& world) {
  const RecordRange records{0, static_cast<std::int64_t>(world.records)};
  SensitivityScores scores(world.trials + 1, 1, records, {metric_named("mse")}, false);
  std::vector<double> costs(world.trials + 1, 1);
  for (std::size_t t = 0; t < world.trials; ++t) costs[t] = 1 - static_cast<double>(t) / static_cast<double>(world.trials);
  EstimatePlan plan(scores, costs, 10);
  while (const auto round = plan.next()) {
    for (const std::size_t trial : round->trials) scores.set(trial, round->record, world.measured(trial, round->record));
  }
  Estimate result;
  for (std::size_t t = 0; t < world.trials; ++t) result.ranking.push_back(t);
  result.ranking = scores.ranked(result.ranking);
  std::stable_sort(result.ranking.begin(), result.ranking.end(),
                   [&](std::size_t a, std::size_t b) { return scores.score(a).records > scores.score(b).records; });
  result.marks = scores.estimated_intervals(result.ranking);
  result.share = plan.share();
  return result;
}

struct Quality {
  double found = 0;    ///< of the ten most sensitive trials those among the first ten
  double reached = 0;  ///< of the same those whose mark reaches into the first ten
  double covered = 0;  ///< share of trials whose true rank lies in the mark
  double width = 0;    ///< ranks that a mark of the first ten holds, in the mean
  double share = 0;
};

Quality mean_quality(std::size_t trials, std::size_t records, int squares) {
  constexpr int kWorlds = 40;
  Quality mean;
  for (unsigned seed = 1; seed <= kWorlds; ++seed) {
    const World world(trials, records, squares, seed);
    const auto truth = world.ranking();
    const Estimate got = estimate(world);
    std::vector<int> rank(trials);
    for (std::size_t i = 0; i < trials; ++i) rank[truth[i]] = static_cast<int>(i) + 1;
    for (std::size_t i = 0; i < trials; ++i) {
      const int own = rank[got.ranking[i]];
      mean.found += own <= 10 && i < 10 ? 1.0 / kWorlds : 0;
      mean.reached += own <= 10 && got.marks[i].low <= 10 ? 1.0 / kWorlds : 0;
      mean.covered += got.marks[i].low <= own && own <= got.marks[i].high ? 1.0 / kWorlds / static_cast<double>(trials) : 0;
      mean.width += i < 10 ? (got.marks[i].high - got.marks[i].low + 1) / 10.0 / kWorlds : 0;
    }
    mean.share = std::max(mean.share, got.share);
  }
  return mean;
}

TEST(SensitivityEstimate, FindsTheTopTenWhereThereAreManyRecords) {
  const Quality quality = mean_quality(60, 64, 4);
  EXPECT_GE(quality.found, 9);
  EXPECT_GE(quality.reached, 9.5);
  EXPECT_GE(quality.covered, 0.95);
  EXPECT_LT(quality.width, 15);
  EXPECT_LE(quality.share, 0.1 + 1e-12);
}

/// The marks are ranks in 95 % of draws; where a single record is all there is to learn from, they hold a little less of the truth.
TEST(SensitivityEstimate, MarksKeepTheirWord) {
  for (const std::size_t records : {10U, 16U, 64U}) {
    for (const int squares : {1, 4}) {
      const Quality quality = mean_quality(60, records, squares);
      SCOPED_TRACE(testing::Message() << records << " records, " << squares << " squares: found " << quality.found << ", reached "
                                      << quality.reached << ", covered " << quality.covered << ", width " << quality.width);
      EXPECT_GE(quality.covered, 0.88);
      EXPECT_GE(quality.reached, 9);
      EXPECT_LE(quality.share, 0.1 + 1e-12);
      EXPECT_LT(quality.width, 45);  // a mark that holds every rank would say nothing
    }
  }
}

TEST(SensitivityEstimate, WhatIsMeasuredInFullIsCertain) {
  const MeasuredErrors errors{{3, 3}, {1, 1}, {2, 2}, {kNotMeasured, kNotMeasured}};
  const auto marks = estimate_marks(errors, false);
  ASSERT_EQ(marks.size(), 4U);
  EXPECT_EQ(marks[0].low, 1);
  EXPECT_EQ(marks[0].high, 1);
  EXPECT_EQ(marks[1].low, 3);
  EXPECT_EQ(marks[2].high, 2);
  EXPECT_EQ(marks[3].low, 0);  // never measured
  EXPECT_EQ(estimate_marks(errors, true)[0].low, 3);
}

}  // namespace
}  // namespace visq::analysis
