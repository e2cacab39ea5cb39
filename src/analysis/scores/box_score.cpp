#include "analysis/scores/box_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/as_size.h"
#include "core/error.h"

namespace visq::analysis {
namespace {

constexpr std::size_t kMostFound = 100;  ///< per picture and category
constexpr int kRecalls = 101;

/// 0.5, 0.55 … 0.95.
double threshold_at(int i) {
  constexpr double kFirst = 0.5, kLast = 0.95, kSteps = 9;
  return i == static_cast<int>(kSteps) ? kLast : kFirst + i * ((kLast - kFirst) / kSteps);
}

/// Intersection over union; over the found box alone where the true one is a crowd's.
double overlap(const Box& found, const TrueBox& truth) {
  const Box& own = truth.box;
  const double width = std::min(found.x + found.width, own.x + own.width) - std::max(found.x, own.x);
  const double height = std::min(found.y + found.height, own.y + own.height) - std::max(found.y, own.y);
  if (!(width > 0) || !(height > 0)) return 0;
  const double both = width * height, area = found.width * found.height;
  return both / (truth.crowd ? area : area + own.width * own.height - both);
}

/// Surest first; what has no score comes last.
bool surer(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a > b; }

/// For each found box the true one that it takes at this threshold; -1: none. Both are in order: the surest, and those that count, first.
std::vector<int> takers(const std::vector<std::vector<double>>& overlaps, const std::vector<TrueBox>& boxes, double threshold) {
  constexpr double kAlmostOne = 1 - 1e-10;
  std::vector<int> taken_by_found;
  std::vector<bool> taken(boxes.size(), false);
  for (const std::vector<double>& row : overlaps) {
    double most = std::min(threshold, kAlmostOne);
    int best = -1;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (taken[i] && !boxes[i].crowd) continue;
      if (best >= 0 && !boxes[as_size(best)].crowd && boxes[i].crowd) break;
      if (!(row[i] >= most)) continue;
      most = row[i];
      best = static_cast<int>(i);
    }
    if (best >= 0) taken[as_size(best)] = true;
    taken_by_found.push_back(best);
  }
  return taken_by_found;
}

}  // namespace

std::vector<BoxScore::Judged> BoxScore::judged(std::vector<FoundBox> found, std::vector<TrueBox> boxes, std::int64_t picture) {
  std::ranges::stable_sort(found, [](const FoundBox& a, const FoundBox& b) { return surer(a.score, b.score); });
  if (found.size() > kMostFound) found.resize(kMostFound);
  std::ranges::stable_sort(boxes, [](const TrueBox& a, const TrueBox& b) { return !a.crowd && b.crowd; });
  std::vector<std::vector<double>> overlaps;
  std::vector<Judged> all;
  for (const FoundBox& each : found) {
    auto& row = overlaps.emplace_back();
    for (const TrueBox& truth : boxes) row.push_back(overlap(each.box, truth));
    all.push_back({each.score, picture, 0, 0});
  }
  for (int t = 0; t < kThresholds; ++t) {
    const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(t));
    const std::vector<int> taken = takers(overlaps, boxes, threshold_at(t));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (taken[i] < 0) continue;
      (boxes[as_size(taken[i])].crowd ? all[i].of_no_count : all[i].right) |= bit;
    }
  }
  return all;
}

void BoxScore::add(const TruePicture& picture, std::span<const FoundBox> found) {
  std::vector<std::vector<FoundBox>> found_of(categories_.size());
  std::vector<std::vector<TrueBox>> boxes_of(categories_.size());
  for (const FoundBox& each : found) found_of[as_size(each.category)].push_back(each);
  for (const TrueBox& each : picture.boxes) boxes_of[as_size(each.category)].push_back(each);
  for (std::size_t i = 0; i < categories_.size(); ++i) {
    OfCategory& own = categories_[i];
    own.boxes += std::ranges::count_if(boxes_of[i], [](const TrueBox& box) { return !box.crowd; });
    const auto judged_here = judged(std::move(found_of[i]), std::move(boxes_of[i]), picture.id);
    own.found.insert(own.found.end(), judged_here.begin(), judged_here.end());
  }
}

/// `found`: surest first.
double BoxScore::average_precision(const std::vector<Judged>& found, std::int64_t boxes, int threshold) {
  const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(threshold));
  std::vector<double> recall, precision;
  double right = 0, wrong = 0;
  for (const Judged& each : found) {
    if ((each.of_no_count & bit) == 0) ++((each.right & bit) != 0 ? right : wrong);
    recall.push_back(right / static_cast<double>(boxes));
    precision.push_back(right / (right + wrong + std::numeric_limits<double>::epsilon()));
  }
  for (std::size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double sum = 0;
  for (int i = 0; i < kRecalls; ++i) {
    const auto at = std::ranges::lower_bound(recall, i * (1.0 / (kRecalls - 1)));
    if (at != recall.end()) sum += precision[as_size(at - recall.begin())];
  }
  return sum / kRecalls;
}

Result<ModelScore> BoxScore::finish(const std::string& place) const {
  std::array<double, kThresholds> sums{};
  int counted = 0;
  for (const OfCategory& category : categories_) {
    if (category.boxes == 0) continue;
    ++counted;
    std::vector<Judged> found = category.found;
    std::ranges::stable_sort(found, {}, &Judged::picture);
    std::ranges::stable_sort(found, [](const Judged& a, const Judged& b) { return surer(a.score, b.score); });
    for (int t = 0; t < kThresholds; ++t) sums[as_size(t)] += average_precision(found, category.boxes, t);
  }
  if (counted == 0) return bad_input("{}: none of the pictures that were run has a box", place);
  ModelScore score;
  for (const double sum : sums) score.main += sum / counted / kThresholds;
  score.second = sums[0] / counted;
  return score;
}

}  // namespace visq::analysis
