// COCO's mean average precision of boxes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "visq/data/truth.h"
#include "visq/scores/score.h"
#include "visq/status.h"

namespace visq::analysis {

/// A box that a model found.
struct FoundBox {
  Box box;
  double score = 0;  ///< the higher, the surer
  int category = 0;  ///< position in BoxTruth::categories
};

/// The protocol of COCO's evaluation of boxes, all sizes of them: in each picture and category the 100 best found boxes, by falling score,
/// each take the true box that they overlap most, if by the threshold at least; what falls to a crowd's box does not count. Precision is
/// made to fall with recall, read at 101 recalls from 0 to 1, and averaged over these, over categories that have true boxes, and over
/// thresholds of 0.5, 0.55 … 0.95.
class BoxScore {
 public:
  explicit BoxScore(std::size_t categories) : categories_(categories) {}

  void add(const TruePicture& picture, std::span<const FoundBox> found);

  /// Both shares of 1. Errors: kBadInput, beginning with `place`: none of the pictures has a box that counts.
  Result<ModelScore> finish(const std::string& place) const;

 private:
  static constexpr int kThresholds = 10;

  /// A found box; a bit per threshold.
  struct Judged {
    double score = 0;
    std::int64_t picture = 0;       ///< id
    std::uint16_t right = 0;        ///< a true box is its own
    std::uint16_t of_no_count = 0;  ///< that is a crowd's
  };
  struct OfCategory {
    std::int64_t boxes = 0;  ///< true ones that count
    std::vector<Judged> found;
  };

  static std::vector<Judged> judged(std::vector<FoundBox> found, std::vector<TrueBox> boxes, std::int64_t picture);
  static double average_precision(const std::vector<Judged>& found, std::int64_t boxes, int threshold);

  std::vector<OfCategory> categories_;
};

}  // namespace visq::analysis
