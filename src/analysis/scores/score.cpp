#include "visq/scores/score.h"

#include <algorithm>
#include <iterator>

namespace visq {
namespace {

constexpr ScoreInfo kScores[] = {
    {Score::kSqnr, "sqnr", "SQNR", "", "", false},
    {Score::kCosine, "cosine", "Cosine", "", "", false},
    {Score::kPsnr, "psnr", "PSNR", "", "", false},
    {Score::kTop1, "top1", "top-1", "top5", "top-5", true},
    {Score::kMap, "map", "mAP", "map50", "mAP at 0.5", true},
    {Score::kMiou, "miou", "mean IoU", "pixels", "right pixels", true},
};

}  // namespace

std::span<const ScoreInfo> all_scores() { return kScores; }

const ScoreInfo& score_info(Score score) {
  return *std::find_if(std::begin(kScores), std::end(kScores) - 1, [&](const ScoreInfo& each) { return each.score == score; });
}

Score score_named(std::string_view key) {
  const auto* found = std::find_if(std::begin(kScores), std::end(kScores), [&](const ScoreInfo& each) { return each.key == key; });
  return found == std::end(kScores) ? Score::kUsual : found->score;
}

}  // namespace visq
