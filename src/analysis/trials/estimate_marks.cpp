#include "analysis/trials/estimate_marks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/records/random.h"

namespace visq::analysis {
namespace {

constexpr std::size_t kDraws = 1000;
/// What is supposed of the shape before anything is known, and how many trials on two records that counts for. A shape of 1/2 is that of
/// the square of one normal number: the error of a model with two outputs that add up to 1.
constexpr double kPriorShape = 0.5, kPriorTrials = 4;
/// What is supposed of the records' factors, their variance over the square of their mean, and how many records that counts for.
constexpr double kPriorVariation = 0.5, kPriorRecords = 2;
/// The few records that are measured rarely hold the rare large error, so the shape counts as so much less.
constexpr double kCaution = 0.5;
constexpr int kSweeps = 20;
constexpr double kLeastGamma = 1e-100, kLargest = 1e200;

class Marks {
 public:
  explicit Marks(const MeasuredErrors& errors)
      : errors_(errors), records_(errors.empty() ? 0 : errors.front().size()), factors_(records_, 1) {
    fit();
    shape_ = kCaution * common_shape();
    spread_factors();
    for (std::size_t trial = 0; trial < errors.size(); ++trial) unmeasured_.push_back(unmeasured(trial));
  }

  bool unknown(std::size_t trial) const { return counts_[trial] == 0; }
  /// The trial's error over all records, were the missing ones measured too.
  double draw(std::size_t trial, Random& random) const {
    const Unmeasured& rest = unmeasured_[trial];
    const double sum = measured_[trial];
    if (rest.factors == 0 || !std::isfinite(sum) || sum == 0) return sum;
    const double known = shape_ * static_cast<double>(counts_[trial]);
    const double mean = std::min(kLargest, means_[trial] / std::max(kLeastGamma, random.gamma(known)));
    return sum + mean * rest.factors * random.gamma(shape_ * rest.like_records);
  }

 private:
  /// The sum of the factors of records that were not measured, and how many equal ones would scatter as they do.
  struct Unmeasured {
    double factors = 0, like_records = 0;
  };

  bool measured(std::size_t trial, std::size_t record) const { return errors_[trial][record] >= 0; }
  /// Trials that tell something about records: with an error, and a finite one.
  bool tells(std::size_t trial) const { return means_[trial] > 0 && std::isfinite(means_[trial]); }

  /// Means of trials and factors of records by turns, each given the others.
  void fit() {
    const std::size_t trials = errors_.size();
    means_.assign(trials, 0), measured_.assign(trials, 0), counts_.assign(trials, 0);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t trial = 0; trial < trials; ++trial) fit_mean(trial);
      fit_factors();
    }
    for (std::size_t trial = 0; trial < trials; ++trial) fit_mean(trial);
  }

  void fit_mean(std::size_t trial) {
    double sum = 0;
    counts_[trial] = 0, measured_[trial] = 0;
    for (std::size_t r = 0; r < records_; ++r) {
      if (!measured(trial, r)) continue;
      sum += errors_[trial][r] / factors_[r];
      measured_[trial] += errors_[trial][r];
      ++counts_[trial];
    }
    means_[trial] = counts_[trial] > 0 ? sum / static_cast<double>(counts_[trial]) : 0;
  }

  void fit_factors() {
    tried_.assign(records_, false);
    for (std::size_t r = 0; r < records_; ++r) {
      double sum = 0;
      std::size_t count = 0;
      for (std::size_t trial = 0; trial < means_.size(); ++trial) {
        if (!measured(trial, r) || !tells(trial)) continue;
        sum += errors_[trial][r] / means_[trial];
        ++count;
      }
      if (count == 0) continue;
      tried_[r] = true;
      factors_[r] = std::max(std::numeric_limits<double>::min(), sum / static_cast<double>(count));
    }
  }

  /// The shape for which the trials' squared coefficients of variation add up to what they are expected to: of n gamma variates with shape
  /// k the sum of (x - mean)^2 / mean^2 is (n - 1) / (k + 1 / n) in the mean.
  double common_shape() const {
    double variation = kPriorTrials / (kPriorShape + 0.5);
    std::vector<double> counts;
    for (std::size_t trial = 0; trial < means_.size(); ++trial) {
      if (counts_[trial] < 2 || !tells(trial)) continue;
      counts.push_back(static_cast<double>(counts_[trial]));
      for (std::size_t r = 0; r < records_; ++r) {
        if (measured(trial, r)) variation += std::pow(errors_[trial][r] / factors_[r] / means_[trial] - 1, 2);
      }
    }
    const auto expected = [&](double shape) {
      double sum = kPriorTrials / (shape + 0.5);
      for (const double n : counts) sum += (n - 1) / (shape + 1 / n);
      return sum;
    };
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 60; ++i) {
      const double middle = std::sqrt(low * high);
      (expected(middle) > variation ? low : high) = middle;
    }
    return low;
  }

  /// A record on which no trial was measured has the mean factor of the others, and scatters around it as they do.
  void spread_factors() {
    double sum = 0, known = 0;
    for (std::size_t r = 0; r < records_; ++r) {
      if (tried_[r]) sum += factors_[r], ++known;
    }
    if (known == 0) return;
    const double mean = sum / known;
    double squares = kPriorRecords * kPriorVariation;
    for (std::size_t r = 0; r < records_; ++r) {
      if (tried_[r]) squares += std::pow(factors_[r] / mean - 1, 2);
      if (!tried_[r]) factors_[r] = mean;
    }
    variation_ = squares / (kPriorRecords + known - 1);
  }

  Unmeasured unmeasured(std::size_t trial) const {
    Unmeasured rest;
    double squares = 0;
    for (std::size_t r = 0; r < records_; ++r) {
      if (measured(trial, r)) continue;
      rest.factors += factors_[r];
      squares += factors_[r] * factors_[r] * (tried_[r] ? 1 : 1 + variation_);
    }
    if (squares > 0) rest.like_records = rest.factors * rest.factors / squares;
    return rest;
  }

  const MeasuredErrors& errors_;
  std::size_t records_;
  std::vector<double> factors_;           ///< per record
  std::vector<bool> tried_;               ///< per record: a trial was measured on it
  std::vector<double> means_, measured_;  ///< per trial: of errors over factors, and the sum of errors
  std::vector<std::size_t> counts_;       ///< per trial: records measured
  std::vector<Unmeasured> unmeasured_;    ///< per trial
  double shape_ = 1;
  double variation_ = 0;  ///< of the factors of records on which no trial was measured
};

}  // namespace

std::string estimate_method() {
  return fmt::format("{:.0f} % of {} draws of what was not measured, records differing as much as those measured do", 100 * kConfidence,
                     kDraws);
}

std::vector<RankInterval> estimate_marks(const MeasuredErrors& errors, bool least_first) {
  const Marks marks(errors);
  std::vector<std::size_t> order;
  for (std::size_t trial = 0; trial < errors.size(); ++trial) {
    if (!marks.unknown(trial)) order.push_back(trial);
  }
  const std::vector<std::size_t> trials = order;
  Random random;
  std::vector<std::vector<int>> ranks(errors.size());
  std::vector<double> drawn(errors.size());
  for (std::size_t n = 0; n < kDraws; ++n) {
    for (const std::size_t trial : trials) drawn[trial] = marks.draw(trial, random);
    order = trials;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return least_first ? drawn[a] < drawn[b] : drawn[a] > drawn[b]; });
    for (std::size_t place = 0; place < order.size(); ++place) ranks[order[place]].push_back(static_cast<int>(place) + 1);
  }
  std::vector<RankInterval> intervals(errors.size());
  constexpr auto kTail = static_cast<std::size_t>((1 - kConfidence) / 2 * static_cast<double>(kDraws));
  for (const std::size_t trial : trials) {
    auto& row = ranks[trial];
    std::sort(row.begin(), row.end());
    intervals[trial] = {row[kTail], row[kDraws - 1 - kTail]};
  }
  return intervals;
}

}  // namespace visq::analysis
