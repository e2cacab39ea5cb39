// Calibrating again: all ranges of feature maps taken from the reference's values at once. Ranges that are wrong together cannot be
// repaired one after the other: each alone wins nothing, since the next one cuts or rounds away what it has won.
#pragma once

#include <optional>

#include "diagnosis/symptoms.h"
#include "diagnosis/trials.h"
#include "model/model_edit.h"

namespace visq::diagnosis {

/// The cause of findings about all ranges together.
inline constexpr std::string_view kCalibration = "CALIBRATION";

/// New grids for all feature maps, and for weights that wrong ranges made coarse; and what was wrong with the old ones.
struct Recalibration {
  ModelEdit edit;
  std::size_t ranges = 0;   ///< of maps that share no grid
  std::size_t narrow = 0;   ///< of these, ranges whose noise is four times that of the new ones, for what they cut off …
  std::size_t wide = 0;     ///< … or for the size of their steps
  std::size_t average = 0;  ///< of those that are too narrow: as wide as the records' extremes are on average
  double median_ratio = 1;  ///< of the old widths to the new ones, over all ranges
  std::size_t off() const { return narrow + wide; }
};

Recalibration recalibrate(const Symptoms& symptoms);

/// The grid of a feature map may change: no kernel keeps state on it, and the biases that depend on it can follow.
bool can_have_another_grid(const Subject& subject, int tensor);

/// What calibrating again wins, where many ranges are wrong and all of them together win more than the best single repair.
struct CalibrationTrial {
  Recalibration recalibration;
  double gain = 0;         ///< dB, over all records, as the next two
  double before = 0;       ///< of the worst output, in dB
  double after = 0;        ///< the same
  double best_single = 0;  ///< dB that the best other repair wins
  Decisions decisions;     ///< of the model so repaired
};
/// `best_single`: dB. Nothing where single ranges are to blame, or none.
std::optional<CalibrationTrial> try_calibration(const Symptoms& symptoms, const Trials& trials, double best_single);

}  // namespace visq::diagnosis
