#include "diagnosis/recommend/precision_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/as_size.h"

namespace visq::diagnosis {
namespace {

/// Nothing is worth more than this output, in dB.
constexpr double kGoodEnough = 60;
/// A set that is chosen without a target wins at least so many dB, and this share of what can be won: less is not worth another build.
constexpr double kLeastWin = 1, kLeastShareWon = 0.1;
/// All that can be saved is taken where it costs no more than this, in dB.
constexpr double kLittleLoss = 1;

std::int64_t cost(const PrecisionPoint& point) { return point.added_bytes + point.added_map_bytes; }

double value(const PrecisionPoint& point) { return std::min(point.sqnr, kGoodEnough); }

/// The point that lies highest above the line from nothing to all that was found, short of the whole model in float.
void choose_winning(const PrecisionKind& kind, RecommendResult& result) {
  const auto& front = result.front;
  std::size_t last = front.size() - 1;
  const bool all_float = kind.map_bits == 32 && front[last].operators.size() == result.operators;
  if (last > 0 && all_float) --last;
  const double won = value(front[last]) - value(front[0]);
  const auto paid = static_cast<double>(std::max<std::int64_t>(cost(front[last]), 1));
  double best = 0;
  for (std::size_t i = 1; i <= last; ++i) {
    const double gain = value(front[i]) - value(front[0]);
    if (gain < std::max(kLeastWin, kLeastShareWon * won)) continue;
    const double height = gain / won - static_cast<double>(cost(front[i])) / paid;
    if (height > best || result.chosen == 0) best = height, result.chosen = i;
  }
  result.choice = result.chosen > 0 ? "the most for its cost"
                                    : fmt::format("no set{} wins {} dB", all_float ? " short of the whole model" : "", kLeastWin);
}

/// The same where bytes are saved, and dB paid.
void choose_saving(RecommendResult& result) {
  const auto& front = result.front;
  const std::size_t last = front.size() - 1;
  const double lost = value(front[0]) - value(front[last]);
  result.choice = "the most saved for what it loses";
  if (lost <= kLittleLoss) {
    result.chosen = last;
    return;
  }
  double best = 0;
  for (std::size_t i = 1; i < last; ++i) {
    const double height =
        static_cast<double>(cost(front[i])) / static_cast<double>(cost(front[last])) - (value(front[0]) - value(front[i])) / lost;
    if (height > best) best = height, result.chosen = i;
  }
  if (result.chosen == 0) result.choice = "no set saves more, for its share, than it loses";
}

}  // namespace

std::vector<PrecisionPoint> front_of(std::vector<PrecisionPoint> points) {
  const auto beaten = [&](std::size_t i, std::size_t other) {
    const bool as_good = cost(points[other]) <= cost(points[i]) && points[other].sqnr >= points[i].sqnr;
    const bool same = cost(points[other]) == cost(points[i]) && points[other].sqnr == points[i].sqnr;
    return as_good && (!same || other < i);
  };
  std::vector<PrecisionPoint> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool kept = true;
    for (std::size_t other = 0; i > 0 && other < points.size(); ++other) kept = kept && !beaten(i, other);
    if (kept) front.push_back(points[i]);
  }
  return front;
}

void choose(const RecommendOptions& options, const PrecisionKind& kind, RecommendResult& result) {
  const auto& front = result.front;
  const auto cheapest = [&](const auto& good) {
    if (!kind.saves()) return as_size(std::find_if(front.begin(), front.end(), good) - front.begin());
    const auto last = std::find_if(front.rbegin(), front.rend(), good);
    return last == front.rend() ? front.size() : as_size(front.rend() - last) - 1;
  };
  if (options.target_sqnr) {
    result.chosen = cheapest([&](const PrecisionPoint& point) { return point.sqnr >= *options.target_sqnr; });
    result.choice = fmt::format("the cheapest with at least {} dB", *options.target_sqnr);
  } else if (options.target_drop) {
    result.chosen =
        cheapest([&](const PrecisionPoint& point) { return point.accuracy_drop && *point.accuracy_drop <= *options.target_drop; });
    result.choice = fmt::format("the cheapest that loses at most {} points of accuracy", *options.target_drop);
  } else if (options.budget >= 0) {
    const bool wins = value(front.back()) - value(front.front()) >= kLeastWin;
    result.chosen = wins ? front.size() - 1 : 0;
    result.choice = wins ? fmt::format("the best for at most {} bytes", options.budget)
                         : fmt::format("no set for at most {} bytes wins {} dB", options.budget, kLeastWin);
  } else if (kind.saves()) {
    choose_saving(result);
  } else {
    choose_winning(kind, result);
  }
  result.target_met = result.chosen < front.size();
  if (result.target_met) return;
  result.chosen = kind.saves() ? 0 : front.size() - 1;
  result.choice = "the best that was found, short of the target";
}

}  // namespace visq::diagnosis
