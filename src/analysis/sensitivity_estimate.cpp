#include "analysis/sensitivity_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace visq::analysis {
namespace {

/// Of what the first full record leaves of the budget, the share that weighing records may take.
constexpr double kWeighing = 0.3;
/// Of the budget, the share for records on which everything is tried.
constexpr double kFullRounds = 0.6;
/// Contenders: so many times `top` at first, fewer in every round, never fewer than the least.
constexpr double kContenders = 4, kShrink = 0.8, kFewest = 1.5;

/// All positions below `count`, each spread as evenly as possible over those before it: the middle first, then quarters …
std::vector<std::size_t> spread(std::size_t count) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(count, false);
  for (std::size_t parts = 2; order.size() < count; parts *= 2) {
    for (std::size_t i = 1; i < parts; i += 2) {
      const std::size_t place = std::min(count - 1, count * i / parts);
      if (!taken[place]) order.push_back(place);
      taken[place] = true;
    }
    if (parts > 4 * count) break;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!taken[i]) order.push_back(i);
  }
  return order;
}

}  // namespace

EstimatePlan::EstimatePlan(const SensitivityScores& scores, std::vector<double> costs, std::size_t top)
    : scores_(scores), costs_(std::move(costs)), top_(top), records_(spread(scores.records())), alive_(costs_.size()) {
  std::iota(alive_.begin(), alive_.end(), std::size_t{0});
  full_record_ = 1 + cost_of(alive_);
  budget_ = kBudget * full_record_ * static_cast<double>(scores.records());
  const double left = std::max(0.0, budget_ - full_record_);
  const auto affordable = static_cast<std::size_t>(kWeighing * left / (1 + costs_.back()));
  weighed_ = affordable >= 2 ? std::min(affordable, records_.size()) : 0;
  const double rest = budget_ - static_cast<double>(weighed_) * (1 + costs_.back());
  full_rounds_ = std::max<std::size_t>(1, static_cast<std::size_t>(kFullRounds * rest / full_record_));
  keep_ = static_cast<std::size_t>(std::ceil(kContenders * static_cast<double>(top)));
}

double EstimatePlan::cost_of(const std::vector<std::size_t>& trials) const {
  double sum = 0;
  for (const std::size_t trial : trials) sum += costs_[trial];
  return sum;
}

Round EstimatePlan::round_of(std::size_t record, std::vector<std::size_t> trials) {
  spent_ += 1 + cost_of(trials);
  return {record, std::move(trials)};
}

std::optional<Round> EstimatePlan::next() {
  if (weighing_ < weighed_) return round_of(records_[weighing_++], {everything()});
  if (taken_ == 0) order_records();
  if (taken_ == records_.size()) return std::nullopt;
  if (taken_ >= full_rounds_) {
    drop_trials();
    while (!alive_.empty() && spent_ + 1 + cost_of(alive_) > budget_) alive_.pop_back();
    if (alive_.size() <= top_) return std::nullopt;  // nothing left to tell apart
  }
  std::vector<std::size_t> trials = alive_;
  std::sort(trials.begin(), trials.end());
  return round_of(records_[taken_++], std::move(trials));
}

/// Of the records that were weighed those with the largest error first.
void EstimatePlan::order_records() {
  std::vector<std::size_t> weighed(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(weighed_));
  weighed = scores_.worst_records(everything(), weighed);
  std::copy(weighed.begin(), weighed.end(), records_.begin());
}

/// Keeps the contenders, the most sensitive first.
void EstimatePlan::drop_trials() {
  std::erase(alive_, everything());
  std::vector<std::size_t> taken(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(taken_));
  std::sort(taken.begin(), taken.end());
  alive_ = scores_.ranked(alive_, taken);  // a run that goes on knows more already, but must decide as it did
  alive_.resize(std::min(alive_.size(), keep_));
  const double top = static_cast<double>(top_);
  keep_ = static_cast<std::size_t>(std::ceil(std::max(kFewest * top, kShrink * static_cast<double>(keep_))));
}

}  // namespace visq::analysis
