#include "analysis/trials/sensitivity_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace visq::analysis {
namespace {

/// Of the budget, the share for records on which everything is tried.
constexpr double kFullRounds = 0.6;
/// Contenders: so many times `top` at first, fewer in every round, never fewer than the least.
constexpr double kContenders = 3, kShrink = 0.8, kFewest = 1.3;

/// All positions below `count`, the first ones of them spread evenly however many are taken: steps of the golden ratio, which fall into
/// step with no period that the records may have.
std::vector<std::size_t> spread(std::size_t count) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::size_t> order;
  std::vector<bool> taken(count, false);
  const auto take = [&](std::size_t place) {
    if (!taken[place]) order.push_back(place);
    taken[place] = true;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double place = kGolden * static_cast<double>(i + 1);
    take(std::min(count - 1, static_cast<std::size_t>((place - std::floor(place)) * static_cast<double>(count))));
  }
  for (std::size_t i = 0; i < count; ++i) take(i);
  return order;
}

}  // namespace

EstimatePlan::EstimatePlan(const SensitivityScores& scores, std::vector<double> costs, std::size_t top)
    : scores_(scores), costs_(std::move(costs)), top_(top), records_(spread(scores.records())), alive_(costs_.size()) {
  std::iota(alive_.begin(), alive_.end(), std::size_t{0});
  full_record_ = 1 + cost_of(alive_);
  budget_ = kBudget * full_record_ * static_cast<double>(scores.records());
  full_rounds_ = std::max<std::size_t>(1, static_cast<std::size_t>(kFullRounds * budget_ / full_record_));
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

/// Keeps the contenders, the most sensitive first.
void EstimatePlan::drop_trials() {
  std::erase(alive_, costs_.size() - 1);
  std::vector<std::size_t> taken(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(taken_));
  std::sort(taken.begin(), taken.end());
  alive_ = scores_.ranked(alive_, taken);  // a run that goes on knows more already, but must decide as it did
  alive_.resize(std::min(alive_.size(), keep_));
  const double top = static_cast<double>(top_);
  keep_ = static_cast<std::size_t>(std::ceil(std::max(kFewest * top, kShrink * static_cast<double>(keep_))));
}

}  // namespace visq::analysis
