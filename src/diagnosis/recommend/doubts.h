// Reasons to repair nothing: where data and models do not belong together, a repair fits the model to what is wrong.
#pragma once

#include <optional>

#include "diagnosis/measured_pair.h"
#include "diagnosis/symptoms.h"
#include "diagnosis/trials.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

/// How well the float model does on labelled records, beside the best guess that looks at none of them. Shares of 1.
struct LabelledScore {
  double right = 0;
  double guess = 0;  ///< of the most frequent label
  std::int64_t records = 0;
  std::int64_t classes = 0;
  std::int64_t outside = 0;        ///< labels that name none of them
  std::int64_t first_outside = 0;  ///< the first of these, with the offset
  /// No better than three standard deviations of a guess.
  bool near_chance() const;
};

/// Float data in the units of calibration: each foreign input is moved from the range of its values to the one that was calibrated.
std::unique_ptr<RecordSource> in_calibrated_units(RecordSource& data, std::vector<InputMismatch> foreign);

/// What labels say.
struct LabelledScores {
  LabelledScore as_given;
  std::optional<LabelledScore> rescaled;  ///< in calibrated units, where inputs are foreign
};

/// `scores`: nothing without labels. Nothing where there is no reason to doubt.
std::optional<GlobalRemark> doubt(const MeasuredPair& pair, const Symptoms& symptoms, const std::optional<LabelledScores>& scores);

/// Where there are no labels: whether ranges and data differ, and the float model does not show that it was made for these data. Nothing
/// where there is no reason to doubt. `data`: the records that `request` names. Errors: those of runs of the float model.
Result<std::optional<GlobalRemark>> doubt_data(const MeasuredPair& pair, const Symptoms& symptoms, const Trials& trials, RecordSource& data,
                                               const RunRequest& request);

}  // namespace visq::diagnosis
