// An estimate of a sensitivity ranking at a tenth of its cost: everything on few records, then only the contenders on more.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/trials/sensitivity_scores.h"

namespace visq::analysis {

/// Trials to be done on one record.
struct Round {
  std::size_t record = 0;  ///< position in the range
  std::vector<std::size_t> trials;
};

/// Successive halving (Jamieson, Talwalkar 2016): all trials on a few records, then fewer and fewer on one more record at a time. Records
/// are taken in an order that spreads them evenly, whatever the budget. Costs are counted in runs of the whole model; every round costs one
/// for the float run.
class EstimatePlan {
 public:
  static constexpr double kBudget = 0.1;  ///< share of the full ranking's cost

  /// `costs`: per trial, the last one being everything quantized, which is not ranked. `top`: how many ranks matter.
  EstimatePlan(const SensitivityScores& scores, std::vector<double> costs, std::size_t top);

  /// The next round, given that all earlier ones are done; nothing at the end. Depends on what those measured alone.
  std::optional<Round> next();
  /// Cost so far, as share of the full ranking's.
  double share() const { return spent_ / (full_record_ * static_cast<double>(scores_.records())); }

 private:
  Round round_of(std::size_t record, std::vector<std::size_t> trials);
  void drop_trials();
  double cost_of(const std::vector<std::size_t>& trials) const;

  const SensitivityScores& scores_;
  std::vector<double> costs_;
  std::size_t top_;
  double full_record_ = 1, budget_ = 0, spent_ = 0;
  std::vector<std::size_t> records_;         ///< in the order they are taken
  std::size_t full_rounds_ = 1, taken_ = 0;  ///< records on which everything is tried, and those that had their round
  std::vector<std::size_t> alive_;           ///< trials that are still contenders
  std::size_t keep_ = 0;                     ///< contenders of the next round
};

}  // namespace visq::analysis
