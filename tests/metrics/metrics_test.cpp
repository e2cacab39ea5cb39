// Every metric against its closed form, and the rules that all of them share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "metrics/divergence.h"
#include "metrics/metric.h"

namespace visq::metrics {
namespace {

using State = MetricValue::State;

struct RecordPair {
  std::vector<float> f, q;
};

const MetricDef& def(std::string_view name) { return *metric_defs()[metric_place(metric_named(name))]; }

MetricState fold(std::string_view name, const std::vector<RecordPair>& records, const std::vector<float>& scale = {0.5F},
                 std::int64_t first_record = 0) {
  MetricState state;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto count = static_cast<std::int64_t>(records[i].f.size());
    PairStats stats = accumulate_pair(records[i].f.data(), records[i].q.data(), count, {scale, 1});
    add_divergence(records[i].f.data(), records[i].q.data(), count, count, stats);
    def(name).add(state, stats, first_record + static_cast<std::int64_t>(i));
  }
  return state;
}

MetricValue value(std::string_view name, const std::vector<RecordPair>& records, const std::vector<float>& scale = {0.5F}) {
  return def(name).value(fold(name, records, scale));
}

// Two records: d = {0, -1, 2} and {0, 0, -0.5}.
const std::vector<RecordPair> kTwo{{{1, 2, 4}, {1, 3, 2}}, {{0, 3, -1}, {0, 3, -0.5F}}};

/// Term by term, as the formula stands.
std::vector<double> softmax(const std::vector<float>& logits) {
  std::vector<double> shares;
  double sum = 0;
  for (const float value : logits) sum += std::exp(double{value});
  for (const float value : logits) shares.push_back(std::exp(double{value}) / sum);
  return shares;
}

double softmax_divergence(const RecordPair& maps) {
  double f_sum = 0, q_sum = 0, divergence = 0;
  for (const float x : maps.f) f_sum += std::exp(static_cast<double>(x));
  for (const float x : maps.q) q_sum += std::exp(static_cast<double>(x));
  for (std::size_t i = 0; i < maps.f.size(); ++i) {
    const double p = std::exp(static_cast<double>(maps.f[i])) / f_sum, r = std::exp(static_cast<double>(maps.q[i])) / q_sum;
    divergence += p * std::log(p / r);
  }
  return divergence;
}

struct Expected {
  std::string name;
  double value;
};

TEST(Metrics, HaveTheirClosedForms) {
  const double cos1 = (1 + 6 + 8) / std::sqrt(21.0 * 14.0), cos2 = 9.5 / std::sqrt(10.0 * 9.25);
  const double mse = (5.0 / 3 + 0.25 / 3) / 2;
  const Expected all[] = {
      {"mse", mse},
      {"mpeir", (2 / (3 + 1e-6) + 0.5 / (4 + 1e-6)) / 2},
      {"tae", (3 + 0.5) / 2},
      {"srmse", std::sqrt(mse) / 0.5},
      {"cosine", (cos1 + cos2) / 2},
      {"sqnr", 10 * std::log10((21.0 + 10.0) / (5.0 + 0.25))},
      {"psnr", 10 * std::log10(25.0 / mse)},
      {"l1", (1 + 0.5 / 3) / 2},
      {"mre", 3.5 / (7 + 4)},
      {"atol", 2},
      {"max_qscale_diff", 4},
      {"kl", (softmax_divergence(kTwo[0]) + softmax_divergence(kTwo[1])) / 2},
  };
  ASSERT_EQ(std::size(all), all_metrics().size()) << "a metric without a closed form";
  for (const Expected& expected : all) {
    const MetricValue actual = value(expected.name, kTwo);
    EXPECT_EQ(actual.state, State::kFinite) << expected.name;
    EXPECT_NEAR(actual.value, expected.value, 1e-6 * std::abs(expected.value)) << expected.name;
  }
}

TEST(Metrics, StandInTheDocumentedOrder) {
  std::vector<std::string> names, labels;
  for (const MetricInfo& info : all_metrics()) {
    names.emplace_back(info.name);
    labels.emplace_back(info.label);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("mse", "mpeir", "tae", "srmse", "cosine", "sqnr", "psnr", "l1", "mre", "atol", "max_qscale_diff", "kl"));
  EXPECT_THAT(labels,
              testing::ElementsAre("MSE", "MPEIR", "TAE", "SRMSE", "Cosine", "SQNR", "PSNR", "L1", "MRE", "ATOL", "max_qscale_diff", "KL"));
  EXPECT_EQ(metric_named("SQNR"), metric_named("sqnr"));
  EXPECT_EQ(metric_named("sqn"), Metric::kNone);
  EXPECT_EQ(metric_named(""), Metric::kNone);
}

TEST(Metrics, MaximaNameTheirRecord) {
  EXPECT_EQ(value("atol", kTwo).record, 0);
  EXPECT_EQ(value("max_qscale_diff", {kTwo[1], kTwo[0], kTwo[0]}).record, 1);  // the first of equal ones
  EXPECT_EQ(value("mse", kTwo).record, -1);
}

TEST(Metrics, SrmseTakesEachChannelsScale) {
  // d = {1, 1}, s = {1, 4}: mean of 1 and 1/16.
  EXPECT_NEAR(value("srmse", {{{1, 1}, {0, 0}}}, {1, 4}).value, std::sqrt((1 + 1.0 / 16) / 2), 1e-12);
  EXPECT_NEAR(value("max_qscale_diff", {{{1, 8}, {0, 0}}}, {1, 4}).value, 2, 1e-12);
}

TEST(Metrics, IdenticalMapsHaveNoError) {
  const std::vector<RecordPair> same{{{1, 2, 3.3F}, {1, 2, 3.3F}}, {{-7, 0.1F, 0.3F}, {-7, 0.1F, 0.3F}}};
  for (const MetricInfo& info : all_metrics()) {
    const MetricValue actual = value(info.name, same);
    if (info.name == "sqnr" || info.name == "psnr") {
      EXPECT_EQ(actual.state, State::kInfinite) << info.name;
    } else {
      EXPECT_EQ(actual.state, State::kFinite) << info.name;
      EXPECT_EQ(actual.value, info.name == "cosine" ? 1 : 0) << info.name;
    }
  }
}

TEST(Metrics, ScaleAsTheirFormulasSay) {
  std::vector<RecordPair> scaled = kTwo;
  for (RecordPair& record : scaled) {
    for (float& x : record.f) x *= 8;
    for (float& x : record.q) x *= 8;
  }
  const auto factor = [&](std::string_view name) { return value(name, scaled).value / value(name, kTwo).value; };
  EXPECT_NEAR(factor("mse"), 64, 1e-9);
  for (const char* name : {"tae", "l1", "atol", "srmse", "max_qscale_diff"}) EXPECT_NEAR(factor(name), 8, 1e-9) << name;
  for (const char* name : {"cosine", "sqnr", "psnr", "mre"}) EXPECT_NEAR(factor(name), 1, 1e-9) << name;
  EXPECT_NEAR(factor("mpeir"), 1, 1e-5);  // the 1e-6 beside the interval does not scale
}

TEST(Metrics, MergeEqualsOnePass) {
  std::mt19937 random(3);
  std::normal_distribution<float> number(0, 1);
  std::vector<RecordPair> records(7);
  for (RecordPair& record : records) {
    for (int i = 0; i < 50; ++i) {
      record.f.push_back(number(random));
      record.q.push_back(record.f.back() + 0.01F * number(random));
    }
  }
  for (const MetricInfo& info : all_metrics()) {
    const MetricValue whole = value(info.name, records);
    for (std::size_t cut = 0; cut <= records.size(); ++cut) {
      const auto middle = records.begin() + static_cast<std::ptrdiff_t>(cut);
      MetricState state = fold(info.name, {records.begin(), middle});
      def(info.name).merge(state, fold(info.name, {middle, records.end()}, {0.5F}, static_cast<std::int64_t>(cut)));
      const MetricValue merged = def(info.name).value(state);
      EXPECT_EQ(merged.state, whole.state);
      EXPECT_NEAR(merged.value, whole.value, 1e-12 * std::abs(whole.value)) << info.name << ", cut at " << cut;
      EXPECT_EQ(merged.record, whole.record) << info.name << ", cut at " << cut;
    }
  }
}

TEST(Metrics, ANonFiniteElementMakesEveryMetricUndefined) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const MetricInfo& info : all_metrics()) {
    EXPECT_EQ(value(info.name, {kTwo[0], {{1, nan}, {1, 1}}}).state, State::kUndefined) << info.name;
    EXPECT_EQ(value(info.name, {kTwo[0], {{1, 1}, {1, -inf}}}).state, State::kUndefined) << info.name;
    EXPECT_EQ(value(info.name, {{{inf, 1}, {inf, 1}}, kTwo[0]}).state, State::kUndefined) << info.name;
    MetricState state = fold(info.name, kTwo);
    def(info.name).merge(state, fold(info.name, {{{nan}, {1}}}));
    EXPECT_EQ(def(info.name).value(state).state, State::kUndefined) << info.name << " after merge";
  }
}

TEST(Metrics, RecordsWithoutElementsDoNotEnter) {
  for (const MetricInfo& info : all_metrics()) {
    EXPECT_EQ(value(info.name, {}).state, State::kUndefined) << info.name;
    EXPECT_EQ(value(info.name, {{{}, {}}}).state, State::kUndefined) << info.name;
    EXPECT_EQ(value(info.name, {kTwo[0], {{}, {}}}).value, value(info.name, {kTwo[0]}).value) << info.name;
  }
}

TEST(Metrics, ThoseInUnitsOfTheScaleNeedOne) {
  for (const MetricInfo& info : all_metrics()) {
    const bool needs = info.name == "srmse" || info.name == "max_qscale_diff";
    EXPECT_EQ(value(info.name, kTwo, {}).state, needs ? State::kUndefined : State::kFinite) << info.name;
    EXPECT_EQ(value(info.name, kTwo, {0.0F}).state, needs ? State::kUndefined : State::kFinite) << info.name;
  }
}

TEST(Metrics, AnAllZeroSideHasItsRules) {
  const std::vector<RecordPair> zeros{{{0, 0}, {0, 0}}}, reference{{{0, 0}, {1, 0}}}, other{{{1, 0}, {0, 0}}};
  EXPECT_EQ(value("cosine", zeros).value, 1);
  EXPECT_EQ(value("cosine", reference).value, 0);
  EXPECT_EQ(value("cosine", other).value, 0);
  EXPECT_EQ(value("cosine", other).state, State::kFinite);
  EXPECT_EQ(value("sqnr", zeros).state, State::kInfinite);
  EXPECT_EQ(value("sqnr", reference).state, State::kUndefined);
  EXPECT_EQ(value("sqnr", other).value, 0);
  EXPECT_EQ(value("psnr", zeros).state, State::kInfinite);
  EXPECT_EQ(value("psnr", reference).state, State::kUndefined);
  EXPECT_EQ(value("mre", zeros).value, 0);
  EXPECT_EQ(value("mre", reference).state, State::kUndefined);
  EXPECT_NEAR(value("mpeir", reference).value, 1e6, 1e-3);
}

TEST(Metrics, DivergenceTakesProbabilitiesAsTheyAre) {
  const std::vector<RecordPair> kept{{{0.5F, 0.25F, 0.25F}, {0.25F, 0.25F, 0.5F}}};
  EXPECT_NEAR(value("kl", kept).value, 0.25 * std::log(2.0), 1e-12);
  // 8 bits write 0 for what is merely small: it counts as 1e-7.
  const std::vector<RecordPair> lost{{{0.75F, 0.25F}, {1, 0}}};
  EXPECT_NEAR(value("kl", lost).value, 0.75 * std::log(0.75) + 0.25 * std::log(0.25 / 1e-7), 1e-6);
  // The other model's row need not add up to 1: rounding to a grid.
  EXPECT_NEAR(value("kl", {{{0.5F, 0.5F}, {0.25F, 0.25F}}}).value, 0, 1e-12);
}

TEST(Metrics, DivergenceIsTheMeanOverRows) {
  const std::vector<float> f{0.5F, 0.5F, 1, 0}, q{0.5F, 0.5F, 0.5F, 0.5F};
  PairStats stats = accumulate_pair(f.data(), q.data(), 4, {{}, 1});
  add_divergence(f.data(), q.data(), 4, 2, stats);
  EXPECT_EQ(stats.rows, 2);
  MetricState state;
  def("kl").add(state, stats, 0);
  EXPECT_NEAR(def("kl").value(state).value, std::log(2.0) / 2, 1e-5);
  // A single row that is none makes logits of all.
  const std::vector<float> logits{0.5F, 0.5F, 3, 0};
  PairStats mixed = accumulate_pair(logits.data(), q.data(), 4, {{}, 1});
  add_divergence(logits.data(), q.data(), 4, 2, mixed);
  EXPECT_NEAR(mixed.sum_kl, softmax_divergence({{3, 0}, {0.5F, 0.5F}}), 1e-12);
}

TEST(Metrics, DivergenceOfRowsOfEveryLength) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise;
  for (const std::size_t row : {2U, 3U, 7U, 8U, 9U, 21U, 500U, 512U, 513U, 1300U}) {
    const std::size_t rows = 1 + 1100 / row;
    std::vector<float> f(row * rows), q;
    for (float& value : f) value = 5 * noise(random);
    for (const float value : f) q.push_back(value + 0.3F * noise(random));
    double logits = 0, probabilities = 0;
    std::vector<float> p, r;
    for (std::size_t i = 0; i < f.size(); i += row) {
      const RecordPair one{{f.begin() + static_cast<std::ptrdiff_t>(i), f.begin() + static_cast<std::ptrdiff_t>(i + row)},
                           {q.begin() + static_cast<std::ptrdiff_t>(i), q.begin() + static_cast<std::ptrdiff_t>(i + row)}};
      logits += softmax_divergence(one);
      const std::vector<double> of_f = softmax(one.f), of_q = softmax(one.q);
      double f_sum = 0, q_sum = 0;
      for (std::size_t k = 0; k < row; ++k) {
        p.push_back(static_cast<float>(of_f[k])), r.push_back(static_cast<float>(of_q[k]));
        f_sum += std::max(double{p.back()}, 1e-7), q_sum += std::max(double{r.back()}, 1e-7);
      }
      for (std::size_t k = i; k < i + row; ++k) {
        const double of_row = std::max(double{p[k]}, 1e-7) / f_sum, other = std::max(double{r[k]}, 1e-7) / q_sum;
        probabilities += of_row * std::log(of_row / other);
      }
    }
    PairStats stats;
    add_divergence(f.data(), q.data(), static_cast<std::int64_t>(f.size()), static_cast<std::int64_t>(row), stats);
    EXPECT_EQ(stats.rows, static_cast<std::int64_t>(rows));
    EXPECT_NEAR(stats.sum_kl, logits, 1e-12 * static_cast<double>(f.size())) << row;
    PairStats shares;
    add_divergence(p.data(), r.data(), static_cast<std::int64_t>(p.size()), static_cast<std::int64_t>(row), shares);
    EXPECT_NEAR(shares.sum_kl, probabilities, 1e-12 * static_cast<double>(f.size())) << row;
  }
}

TEST(Metrics, DivergenceOfWhatIsNotFiniteIsNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const std::vector<float> logits{3, 0, -1, 2}, shares{0.5F, 0.125F, 0.125F, 0.25F};
  for (const std::vector<float>& sound : {logits, shares}) {
    for (const float value : {nan, infinite, -infinite}) {
      for (std::size_t place = 0; place < sound.size(); ++place) {
        std::vector<float> broken = sound;
        broken[place] = value;
        PairStats in_f, in_q;
        add_divergence(broken.data(), sound.data(), 4, 4, in_f);
        EXPECT_TRUE(std::isnan(in_f.sum_kl)) << value << " at " << place << ": " << in_f.sum_kl;
        add_divergence(sound.data(), broken.data(), 4, 4, in_q);
        // A probability below 0 counts as the least one.
        const bool counts = sound == shares && value == -infinite;
        EXPECT_EQ(std::isnan(in_q.sum_kl), !counts) << value << " at " << place << ": " << in_q.sum_kl;
      }
    }
  }
}

TEST(Metrics, DivergenceIsOfOutputsOnly) {
  MetricState state;
  def("kl").add(state, accumulate_pair(kTwo[0].f.data(), kTwo[0].q.data(), 3, {{}, 1}), 0);
  EXPECT_EQ(def("kl").value(state).state, State::kUndefined);
}

TEST(Metrics, CosineKeepsItsDigitsNextToOne) {
  // f = (1, 0), q = (1, e): 1 - cos = 1 - 1/sqrt(1 + e²), here 5e-9: invisible to a float32 sum of products.
  const float e = 1e-4F;
  const double exact = -std::expm1(-0.5 * std::log1p(static_cast<double>(e) * static_cast<double>(e)));
  std::vector<float> f, q;
  for (int i = 0; i < 1000; ++i) {
    f.insert(f.end(), {1, 0});
    q.insert(q.end(), {1, e});
  }
  EXPECT_NEAR(1 - value("cosine", {{f, q}}).value, exact, 1e-6 * exact);
  EXPECT_NEAR(value("cosine", {{{1, 2}, {-1, -2}}}).value, -1, 1e-15);
}

TEST(Metrics, WorseFollowsDirectionAndState) {
  const MetricInfo& mse = metric_info(metric_named("mse"));
  const MetricInfo& sqnr = metric_info(metric_named("sqnr"));
  const auto number = [](double x) { return MetricValue{State::kFinite, x, -1}; };
  const MetricValue infinite{State::kInfinite, 0, -1}, undefined;
  EXPECT_TRUE(worse(mse, number(2), number(1)));
  EXPECT_FALSE(worse(mse, number(1), number(1)));
  EXPECT_TRUE(worse(sqnr, number(1), number(2)));
  EXPECT_TRUE(worse(sqnr, number(99), infinite));
  EXPECT_FALSE(worse(sqnr, infinite, number(99)));
  EXPECT_FALSE(worse(sqnr, infinite, infinite));
  EXPECT_FALSE(worse(mse, undefined, number(1)));
  EXPECT_FALSE(worse(mse, number(1), undefined));
}

}  // namespace
}  // namespace visq::metrics
