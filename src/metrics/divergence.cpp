#include "metrics/divergence.h"

#include <Eigen/Core>
#include <cmath>

namespace visq::metrics {
namespace {

using Row = Eigen::ArrayXd;

Row row_of(const float* values, std::int64_t count) { return Eigen::Map<const Eigen::ArrayXf>(values, count).cast<double>(); }

bool is_distribution(const Row& values) {
  return (values >= 0).all() && (values <= 1).all() && std::abs(values.sum() - 1) <= kProbabilitySlack;
}

Row probabilities(Row values) {
  values = values.max(kLeastProbability);
  return values / values.sum();
}

double of_probabilities(const Row& f, const Row& q) {
  const Row p = probabilities(f);
  return (p * (p / probabilities(q)).log()).sum();
}

/// Σ p·((f - ln Σe^f) - (q - ln Σe^q)): exact where a probability itself would be 0.
double of_logits(const Row& f, const Row& q) {
  const double f_largest = f.maxCoeff(), q_largest = q.maxCoeff();
  const Row weights = (f - f_largest).exp();
  const double sum = weights.sum();
  const double f_log = f_largest + std::log(sum), q_log = q_largest + std::log((q - q_largest).exp().sum());
  return (weights * (f - q)).sum() / sum - (f_log - q_log);
}

}  // namespace

void add_divergence(const float* f, const float* q, std::int64_t elements, std::int64_t row, PairStats& stats) {
  if (row < 2) return;
  bool distributions = true;
  for (std::int64_t i = 0; distributions && i < elements; i += row) distributions = is_distribution(row_of(f + i, row));
  for (std::int64_t i = 0; i < elements; i += row) {
    const Row reference = row_of(f + i, row), other = row_of(q + i, row);
    const double divergence = distributions ? of_probabilities(reference, other) : of_logits(reference, other);
    stats.sum_kl += divergence < 0 ? 0 : divergence;  // rounding alone takes it below
    ++stats.rows;
  }
}

}  // namespace visq::metrics
