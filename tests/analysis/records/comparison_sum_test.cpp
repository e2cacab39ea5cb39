// What is said of a map beyond its metrics.
#include "analysis/records/comparison_sum.h"

#include <gtest/gtest.h>

namespace visq::analysis {
namespace {

const std::vector<Metric>& sqnr_alone() {
  static const std::vector<Metric> metrics{metric_named("sqnr")};
  return metrics;
}

MapRecord record_of(const std::vector<float>& f, const std::vector<float>& q, float scale) {
  MapRecord record;
  record.stats = metrics::accumulate_pair(f.data(), q.data(), static_cast<std::int64_t>(f.size()), {.scale = {&scale, 1}});
  record.shape = {static_cast<std::int64_t>(f.size())};
  return record;
}

MapComparison sum_of(const std::vector<MapRecord>& records) {
  ComparisonSum sum({}, {}, PairedBy::kName, sqnr_alone());
  for (std::size_t i = 0; i < records.size(); ++i) sum.add(static_cast<std::int64_t>(i), {records[i]}, false);
  return sum.finish();
}

std::string verdict(const std::vector<float>& f, const std::vector<float>& q, float scale) {
  return sum_of({record_of(f, q, scale)}).verdict;
}

TEST(ComparisonSum, RoundingThatLeavesNothingIsNotRoundingOnly) {
  EXPECT_EQ(verdict({1, 2, 3, 4}, {1, 2, 3, 4.25F}, 1), "rounding only");
  EXPECT_EQ(verdict({0.4F, -0.4F, 0.4F, -0.4F}, {0, 0, 0, 0}, 1), "constant") << "dead: all of it was rounded to 0";
  EXPECT_EQ(verdict({0.4F, 0.4F, 0.4F, 0.4F}, {0, 1, 0, 0}, 1), "constant") << "the reference is dead";
  EXPECT_EQ(verdict({0.3F, 0.3F, 0.45F, 0.3F}, {0, 0, 1, 0}, 1), "no signal left") << "0.5725 of 0.4725";
  EXPECT_EQ(verdict({1, 2, 3, 4}, {9, 2, 3, 4}, 1), "more than rounding");
}

TEST(ComparisonSum, ASingleNumberIsNoConstant) {
  EXPECT_EQ(verdict({3}, {3.2F}, 1), "rounding only");
  EXPECT_EQ(sum_of({record_of({3}, {3}, 1), record_of({5}, {5}, 1)}).verdict, "rounding only");
}

TEST(ComparisonSum, ReferenceThatRepeats) {
  const MapRecord a = record_of({1, 2}, {1, 2}, 1), other_twin = record_of({1, 2}, {1, 3}, 1), b = record_of({1, 2.5F}, {1, 2}, 1);
  EXPECT_FALSE(sum_of({a}).reference_repeats) << "one record says nothing";
  EXPECT_TRUE(sum_of({a, a, other_twin}).reference_repeats);
  EXPECT_FALSE(sum_of({a, a, b}).reference_repeats);
}

/// An output of a model, which is its own twin.
MapRecord output_of(std::vector<float> values) {
  const TensorInfo info;
  const Shape shape{1, static_cast<std::int64_t>(values.size())};
  values.resize(values.size() + 16);  // metrics may read behind the end
  const kernels::Tensor map{.shape = shape, .data = reinterpret_cast<std::byte*>(values.data()), .info = &info};
  MapScratch scratch;
  return compare_tensors(map, map, 0, {.output = true}, scratch);
}

TEST(ComparisonSum, TheSameValuesInOtherPlacesAreNoRepetition) {
  const MapRecord first = output_of({0, 1, 0, 0}), second = output_of({0, 0, 1, 0});
  ASSERT_EQ(first.stats.sum_ff, second.stats.sum_ff);
  EXPECT_TRUE(sum_of({first, output_of({0, 1, 0, 0})}).reference_repeats);
  EXPECT_FALSE(sum_of({first, second}).reference_repeats);
  EXPECT_FALSE(sum_of({first, first, second}).reference_repeats);
}

}  // namespace
}  // namespace visq::analysis
