#include "metrics/divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/as_size.h"
#include "metrics/vector_math.h"

namespace visq::metrics {
namespace {

/// Elements that go through the functions of many numbers together, in whole rows: what is in the first cache.
constexpr std::int64_t kAtOnce = 512;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_distribution(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) {
    if (!(value >= 0 && value <= 1)) return false;
    sum += value;
  }
  return std::abs(sum - 1) <= kProbabilitySlack;
}

double raised(float probability) { return probability < kLeastProbability ? kLeastProbability : double{probability}; }

/// Some rows of both maps, and memory for what becomes of them.
class Rows {
 public:
  Rows(std::size_t row, std::size_t rows) : row_(row), first_(row * rows), second_(row * rows), results_(rows), logarithms_(rows) {}

  /// The divergence of each row.
  std::span<const double> of_probabilities(std::span<const float> f, std::span<const float> q) {
    for (std::size_t i = 0; i < f.size(); ++i) first_[i] = raised(f[i]) / raised(q[i]);
    logarithms({first_.data(), f.size()});
    for_rows(f, q, [&](std::size_t row, const float* f_row, const float* q_row, std::size_t place) {
      double f_sum = 0, q_sum = 0, weighted = 0;
      for (std::size_t i = 0; i < row_; ++i) {
        const double p = raised(f_row[i]);
        f_sum += p, q_sum += raised(q_row[i]), weighted += p * first_[place + i];
      }
      results_[row] = std::isfinite(q_sum) ? weighted / f_sum : kNaN, logarithms_[row] = q_sum / f_sum;
    });
    return with_logarithms(f.size() / row_);
  }

  /// Σ p·((f - ln Σe^f) - (q - ln Σe^q)): exact where a probability itself would be 0.
  std::span<const double> of_logits(std::span<const float> f, std::span<const float> q) {
    for_rows(f, q, [&](std::size_t, const float* f_row, const float* q_row, std::size_t place) {
      const double f_largest = *std::max_element(f_row, f_row + row_), q_largest = *std::max_element(q_row, q_row + row_);
      for (std::size_t i = 0; i < row_; ++i) first_[place + i] = f_row[i] - f_largest, second_[place + i] = q_row[i] - q_largest;
    });
    exponentials({first_.data(), f.size()});
    exponentials({second_.data(), f.size()});
    for_rows(f, q, [&](std::size_t row, const float* f_row, const float* q_row, std::size_t place) {
      const double f_largest = *std::max_element(f_row, f_row + row_), q_largest = *std::max_element(q_row, q_row + row_);
      double f_sum = 0, q_sum = 0, weighted = 0;
      for (std::size_t i = 0; i < row_; ++i) {
        f_sum += first_[place + i], q_sum += second_[place + i];
        weighted += first_[place + i] * (double{f_row[i]} - double{q_row[i]});
      }
      results_[row] = weighted / f_sum - (f_largest - q_largest), logarithms_[row] = q_sum / f_sum;
    });
    return with_logarithms(f.size() / row_);
  }

 private:
  template <class Use>
  void for_rows(std::span<const float> f, std::span<const float> q, Use&& use) const {
    for (std::size_t place = 0; place < f.size(); place += row_) use(place / row_, f.data() + place, q.data() + place, place);
  }

  std::span<const double> with_logarithms(std::size_t rows) {
    logarithms({logarithms_.data(), rows});
    for (std::size_t row = 0; row < rows; ++row) results_[row] += logarithms_[row];
    return {results_.data(), rows};
  }

  std::size_t row_;
  std::vector<double> first_, second_, results_, logarithms_;
};

}  // namespace

void add_divergence(const float* f, const float* q, std::int64_t elements, std::int64_t row, PairStats& stats) {
  if (row < 2) return;
  bool distributions = true;
  for (std::int64_t i = 0; distributions && i < elements; i += row) distributions = is_distribution({f + i, as_size(row)});
  const std::int64_t rows = std::min(std::max<std::int64_t>(1, kAtOnce / row), elements / row);
  Rows piece(as_size(row), as_size(rows));
  for (std::int64_t i = 0; i < elements; i += rows * row) {
    const std::size_t count = as_size(std::min(rows * row, elements - i));
    const std::span reference(f + i, count), other(q + i, count);
    for (const double divergence : distributions ? piece.of_probabilities(reference, other) : piece.of_logits(reference, other)) {
      stats.sum_kl += std::isfinite(divergence) ? std::max(0.0, divergence) : kNaN;  // rounding alone takes it below 0
      ++stats.rows;
    }
  }
}

}  // namespace visq::metrics
