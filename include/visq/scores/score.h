// What a pair of models is judged by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace visq {

enum class Score : std::uint8_t {
  kUsual,   ///< accuracy where it was measured, else the worst output's SQNR
  kSqnr,    ///< of the worst output, as the next two
  kCosine,  ///< see Metric
  kPsnr,
  kTop1,  ///< by labels: whether the best class is the record's
  kMap,   ///< by boxes: COCO's mean average precision
  kMiou,  ///< by masks: mean intersection over union of the classes of pixels
};

/// A score and how it is called.
struct ScoreInfo {
  Score score;
  std::string_view key;           ///< on the command line and in JSON: "map"
  std::string_view title;         ///< in tables: "mAP"
  std::string_view second_key;    ///< of the number beside it (by labels only): "map50"
  std::string_view second_title;  ///< "mAP at 0.5"
  bool by_labels = false;
};

/// All but kUsual.
std::span<const ScoreInfo> all_scores();

/// Of one of all_scores().
const ScoreInfo& score_info(Score score);

/// kUsual where no score is called so.
Score score_named(std::string_view key);

/// How a model does by labels: shares of 1.
struct ModelScore {
  double main = 0;    ///< top-1, mAP over IoU 0.5 to 0.95, mean IoU; or what a program says
  double second = 0;  ///< top-5, mAP at IoU 0.5, share of the pixels that are right; 0 with a program
};

}  // namespace visq
