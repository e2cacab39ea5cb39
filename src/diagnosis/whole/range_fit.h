// The ranges of a quantized model remember the data that it was calibrated with: whether these data are of that kind, or would be after one
// of the usual changes.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/symptoms.h"
#include "diagnosis/whole/pre_processing.h"
#include "visq/data.h"
#include "visq/request.h"

namespace visq::diagnosis {

/// By which factor the float model's values miss the ranges of calibration. Of one feature map that is 1 + what both ends are off, as a
/// share of the smaller of both widths (at most 1000; where the lower end is 0 in both, the larger over the smaller width). Over all maps
/// that have a range of their own: the geometric mean of the input and of the median of the others, since extremes of a few records scatter
/// more the deeper a map lies, and one wrong range is not the data's fault.
struct RangeFit {
  std::size_t maps = 0;
  double miss = 1;     ///< of the data as they are
  std::string change;  ///< the change after which the values fill the ranges; empty: none does
  double changed_miss = 1;
  std::optional<PreProcessing> undo;  ///< the change itself
};

/// Nothing where fewer than three feature maps have a range, or where the data fill them as they are. Errors: those of the runs.
Result<std::optional<RangeFit>> fit_ranges(const Symptoms& symptoms, RecordSource& data, const RunRequest& request);

/// What takes the only input onto the range that it was calibrated for, whatever mean and deviation that was done with; nothing where it
/// is not far off, or there are several inputs.
std::optional<PreProcessing> stretch_to_range(const Symptoms& symptoms);

}  // namespace visq::diagnosis
