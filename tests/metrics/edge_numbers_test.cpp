// Numbers at the edge through every metric, each with its stated result: the table of docs/limits.md.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "metrics/divergence.h"
#include "metrics/metric.h"

namespace visq::metrics {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr float kScale = 0.5F;
/// 10·log10(4).
constexpr double kFourDb = 6.020599913279624;
/// Divergence of (1/2, 1/2) from the softmax of (1, 0): ln((1 + e) / (2·√e)).
const double kOneOfTwo = std::log((1 + std::exp(1.0)) / (2 * std::exp(0.5)));

struct Edge {
  std::string name;
  std::vector<float> f, q;
  /// mse, mpeir, tae, srmse, cosine, sqnr, psnr, l1, mre, atol, max_qscale_diff, kl; kInf: no error, kUndefined.
  std::array<double, 12> expected;
};

std::array<double, 12> all(double value) {
  std::array<double, 12> values{};
  values.fill(value);
  return values;
}

const std::array<double, 12> kNoError{0, 0, 0, 0, 1, kInf, kInf, 0, 0, 0, 0, 0};

std::vector<Edge> edges() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kFloatInf = std::numeric_limits<float>::infinity();
  const double root = std::sqrt(0.5);
  return {
      {"no elements", {}, {}, all(kUndefined)},
      {"NaN in the reference", {1, kNan}, {1, 1}, all(kUndefined)},
      {"NaN in both", {kNan}, {kNan}, all(kUndefined)},
      {"Inf in the other", {1, 2}, {1, kFloatInf}, all(kUndefined)},
      {"Inf in both", {-kFloatInf, 1}, {-kFloatInf, 1}, all(kUndefined)},
      {"zeros of both signs", {0.0F, -0.0F}, {-0.0F, 0.0F}, kNoError},
      {"one element, equal", {2}, {2}, {0, 0, 0, 0, 1, kInf, kInf, 0, 0, 0, 0, kUndefined}},
      {"one element, different", {2}, {1}, {1, 1e6, 1, 2, 1, kFourDb, kUndefined, 1, 0.5, 1, 2, kUndefined}},
      {"constant, equal", {3, 3, 3}, {3, 3, 3}, kNoError},
      {"constant reference, error",
       {3, 3},
       {3, 2},
       {0.5, 1e6, 1, 2 * root, 15 / std::sqrt(18.0 * 13.0), 10 * std::log10(18.0), kUndefined, 0.5, 1.0 / 6, 1, 2, kOneOfTwo}},
      {"zero reference, error", {0, 0}, {1, 0}, {0.5, 1e6, 1, 2 * root, 0, kUndefined, kUndefined, 0.5, kUndefined, 1, 2, kOneOfTwo}},
      {"subnormals lost", {1e-40F, -1e-40F}, {0, 0}, {1e-80, 1e-34, 2e-40, 2e-40, 0, 0, kFourDb, 1e-40, 1, 1e-40, 2e-40, 0}},
      {"largest numbers, signs changed",
       {3e38F, -3e38F},
       {-3e38F, 3e38F},
       {3.6e77, 1, 1.2e39, 1.2e39, -1, -kFourDb, 0, 6e38, 2, 6e38, 1.2e39, 6e38}},
  };
}

void expect_value(const MetricValue& actual, double expected) {
  using State = MetricValue::State;
  const State state = std::isnan(expected) ? State::kUndefined : std::isinf(expected) ? State::kInfinite : State::kFinite;
  EXPECT_EQ(actual.state, state);
  if (state == State::kFinite) {
    EXPECT_NEAR(actual.value, expected, 1e-4 * std::fabs(expected) + (expected == 0 ? 1e-6 : 0));
  }
}

MetricValue value_of(const MetricDef& def, const PairStats& stats) {
  MetricState state;
  def.add(state, stats, 0);
  return def.value(state);
}

TEST(EdgeNumbers, HaveTheirStatedResults) {
  ASSERT_EQ(metric_defs().size(), 12U);
  for (const Edge& edge : edges()) {
    const std::vector<float> scale{kScale};
    const auto count = static_cast<std::int64_t>(edge.f.size());
    PairStats stats = accumulate_pair(edge.f.data(), edge.q.data(), count, {scale, 1});
    add_divergence(edge.f.data(), edge.q.data(), count, count, stats);
    for (std::size_t i = 0; i < edge.expected.size(); ++i) {
      SCOPED_TRACE(edge.name + ", " + std::string(all_metrics()[i].name));
      expect_value(value_of(*metric_defs()[i], stats), edge.expected[i]);
    }
  }
}

/// Zeros that take no memory: every page of them is the system's one page of zeros.
class Zeros {
 public:
  explicit Zeros(std::size_t count) : bytes_(count * sizeof(float)) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Zeros() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  float* data() const { return memory_ == MAP_FAILED ? nullptr : static_cast<float*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

TEST(EdgeNumbers, MapsBeyond31Bits) {
  if (std::getenv("VISQ_SLOW_TESTS") == nullptr) GTEST_SKIP() << "reads 17 GB; set VISQ_SLOW_TESTS=1";
  constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 5;
  const Zeros f(kCount), q(kCount);
  ASSERT_TRUE(f.data() != nullptr && q.data() != nullptr);
  q.data()[kCount - 1] = 2;
  const std::vector<float> scale{kScale};
  const PairStats stats = accumulate_pair(f.data(), q.data(), kCount, {scale, 1});
  EXPECT_EQ(stats.elements, kCount);
  const double n = static_cast<double>(kCount);
  const std::array<double, 12> expected{4 / n, 2e6, 2, 4 / std::sqrt(n), 0, kUndefined, kUndefined, 2 / n, kUndefined, 2, 4, kUndefined};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(all_metrics()[i].name);
    expect_value(value_of(*metric_defs()[i], stats), expected[i]);
  }
  q.data()[kCount - 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(accumulate_pair(f.data(), q.data(), kCount, {scale, 1}).first_non_finite_q, kCount - 1);
}

}  // namespace
}  // namespace visq::metrics
